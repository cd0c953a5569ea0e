"""Written cases of every kind of spoilt diff: a tree, an answer, and what has to come of it."""

from __future__ import annotations

from dataclasses import dataclass, field

CART = '''\
"""A cart that adds up."""

import math


class Cart:
    def __init__(self, owner):
        self.owner = owner
        self.lines = []

    def add(self, name, price, pieces=1):
        if pieces < 1:
            raise ValueError("at least one piece")
        self.lines.append((name, price, pieces))

    def total(self):
        result = 0
        for name, price, pieces in self.lines:
            result += price * pieces
        return result

    def clear(self):
        self.lines = []


def rounded(value):
    return math.floor(value * 100 + 0.5) / 100
'''

STACK = """\
package stack

import "errors"

// Stack keeps integers, last in, first out.
type Stack struct {
\titems []int
\tlimit int
}

// Push puts a value on top.
func (s *Stack) Push(value int) error {
\tif len(s.items) == s.limit {
\t\treturn errors.New("full")
\t}
\ts.items = append(s.items, value)
\treturn nil
}

// Pop takes the value on top.
func (s *Stack) Pop() (int, error) {
\tif len(s.items) == 0 {
\t\treturn 0, errors.New("empty")
\t}
\ttop := s.items[len(s.items)-1]
\ts.items = s.items[:len(s.items)-1]
\treturn top, nil
}
"""

TIMER = """\
'use strict';

class Timer {
  constructor(step) {
    this.step = step;
    this.ticks = 0;
  }

  tick() {
    this.ticks += 1;
    if (this.ticks > 1000) {
      this.ticks = 0;
    }
    return this.ticks * this.step;
  }
}

module.exports = { Timer };
"""

TWINS = """\
def north(x):
    start(x)
    move(x)
    return x


def south(x):
    start(x)
    move(x)
    return x
"""

CART_NEW = CART.replace(
    "        result = 0\n", "        result = 0\n        seen = len(self.lines)\n"
).replace("return result\n", "return result if seen else 0\n")
TOTAL = """\
     def total(self):
         result = 0
+        seen = len(self.lines)
         for name, price, pieces in self.lines:
             result += price * pieces
-        return result
+        return result if seen else 0

     def clear(self):
"""
STACK_NEW = STACK.replace(
    "\ttop := s.items[len(s.items)-1]\n", "\tlast := len(s.items) - 1\n\ttop := s.items[last]\n"
)
POP = """\
 \tif len(s.items) == 0 {
 \t\treturn 0, errors.New("empty")
 \t}
-\ttop := s.items[len(s.items)-1]
+\tlast := len(s.items) - 1
+\ttop := s.items[last]
 \ts.items = s.items[:len(s.items)-1]
 \treturn top, nil
 }
"""
TIMER_NEW = TIMER.replace("> 1000", ">= 1000").replace(
    "      this.ticks = 0;\n    }\n", "      this.ticks = 0;\n      this.onWrap();\n    }\n"
)
TICK = """\
   tick() {
     this.ticks += 1;
-    if (this.ticks > 1000) {
+    if (this.ticks >= 1000) {
       this.ticks = 0;
+      this.onWrap();
     }
     return this.ticks * this.step;
   }
"""

Tree = dict[str, str | bytes]


@dataclass(frozen=True)
class Own:
    """A written case; `after` is the whole tree, `word` the reason of a refusal."""

    name: str
    before: Tree
    answer: str | bytes
    after: Tree | None = None
    word: str | None = None
    rung: str | None = None
    repairs: tuple[str, ...] = field(default=())


def cart(name: str, answer: str | bytes, **more: object) -> Own:
    """A case on the cart whose answer makes the usual change."""
    return Own(name, {"shop/cart.py": CART}, answer, {"shop/cart.py": CART_NEW}, **more)  # type: ignore[arg-type]


def stack(name: str, answer: str | bytes, **more: object) -> Own:
    """A case on the stack whose answer makes the usual change."""
    return Own(name, {"stack/stack.go": STACK}, answer, {"stack/stack.go": STACK_NEW}, **more)  # type: ignore[arg-type]


def timer(name: str, answer: str | bytes, **more: object) -> Own:
    """A case on the timer whose answer makes the usual change."""
    return Own(name, {"src/timer.js": TIMER}, answer, {"src/timer.js": TIMER_NEW}, **more)  # type: ignore[arg-type]


def refused(name: str, word: str, answer: str | bytes, before: Tree | None = None) -> Own:
    """A case to refuse, on the cart unless a tree is given."""
    return Own(name, {"shop/cart.py": CART} if before is None else before, answer, word=word)


A_CART = "--- a/shop/cart.py\n+++ b/shop/cart.py\n"
A_STACK = "--- a/stack/stack.go\n+++ b/stack/stack.go\n"
A_TIMER = "--- a/src/timer.js\n+++ b/src/timer.js\n"
A_TWINS = "--- a/twins.py\n+++ b/twins.py\n"
NEW = "--- /dev/null\n+++ b/shop/note.py\n"
NOTE = '"""Notes."""\n\n\ndef note(text):\n    return text.strip()\n'
PLUS_NOTE = "".join(f"+{line}\n" for line in NOTE.splitlines())
WITH_NOTE: Tree = {"shop/cart.py": CART, "shop/note.py": NOTE}


def spaced(text: str) -> str:
    """Tabs of a hunk as four spaces."""
    return text.replace("\t", "    ")


def reindented(text: str, old: int, new: str) -> str:
    """A hunk body with its indentation unit changed."""
    rows = []
    for line in text.splitlines():
        op, rest = line[:1], line[1:]
        size = len(rest) - len(rest.lstrip())
        rows.append(op + new * (size // old) + rest.lstrip())
    return "\n".join(rows) + "\n"


HEADERS = [
    cart("header_right", A_CART + "@@ -16,7 +16,8 @@ class Cart:\n" + TOTAL),
    cart("header_counts_low", A_CART + "@@ -16,3 +16,4 @@\n" + TOTAL, repairs=("counts",)),
    cart("header_counts_high", A_CART + "@@ -16,11 +16,14 @@\n" + TOTAL, repairs=("counts",)),
    cart("header_line_off", A_CART + "@@ -3,8 +3,9 @@\n" + TOTAL, repairs=("line",)),
    cart("header_past_end", A_CART + "@@ -816,8 +816,9 @@\n" + TOTAL),
    cart("header_no_counts", A_CART + "@@ -16 +16 @@\n" + TOTAL),
    cart("header_bare", A_CART + "@@\n" + TOTAL, repairs=("header",)),
    stack("header_two_marks", A_STACK + "@@ @@\n" + POP),
    stack("header_dots", A_STACK + "@@ ... @@\n" + POP),
    stack("header_heading", A_STACK + "@@ func (s *Stack) Pop() (int, error) {\n" + POP),
    stack("header_end_missing", A_STACK + "@@ -21,9 +21,10\n" + POP),
    stack("header_both_minus", A_STACK + "@@ -21,9 -21,10 @@\n" + POP),
    stack("header_unicode_minus", A_STACK + "@@ \u221221,9 +21,10 @@\n" + POP),
    stack("header_missing", A_STACK + POP),
    timer("header_comma_blank", A_TIMER + "@@ -9, 7 +9, 8 @@\n" + TICK),
    timer(
        "git_line_only",
        "diff --git a/src/timer.js b/src/timer.js\n@@ -9,7 +9,8 @@\n" + TICK,
    ),
]

H_TIMER = "@@ -9,7 +9,8 @@\n" + TICK
NAMES = [
    timer("name_no_prefix", "--- src/timer.js\n+++ src/timer.js\n" + H_TIMER),
    timer("name_mixed_prefix", "--- a/src/timer.js\n+++ src/timer.js\n" + H_TIMER),
    timer("name_plus_only", "+++ b/src/timer.js\n" + H_TIMER),
    timer("name_extra_dir", "--- a/app/src/timer.js\n+++ b/app/src/timer.js\n" + H_TIMER),
    timer("name_dir_missing", "--- a/timer.js\n+++ b/timer.js\n" + H_TIMER),
    timer("name_absolute", "--- /srv/job/src/timer.js\n+++ /srv/job/src/timer.js\n" + H_TIMER),
    timer("name_backslash", "--- a\\src\\timer.js\n+++ b\\src\\timer.js\n" + H_TIMER),
    timer("name_quoted", '--- "a/src/timer.js"\n+++ "b/src/timer.js"\n' + H_TIMER),
    timer("name_backticks", "--- `a/src/timer.js`\n+++ `b/src/timer.js`\n" + H_TIMER),
    timer("name_remark", "--- a/src/timer.js (old)\n+++ b/src/timer.js (new)\n" + H_TIMER),
    timer(
        "name_stamp",
        "--- a/src/timer.js\t2026-02-03 10:00:00\n+++ b/src/timer.js\t2026\n" + H_TIMER,
    ),
    timer("name_case", "--- a/src/Timer.js\n+++ b/src/Timer.js\n" + H_TIMER),
    timer("name_old_wrong", "--- a/lib/timer.js\n+++ b/src/timer.js\n" + H_TIMER),
    timer("name_in_prose", "Change `src/timer.js` like this:\n\n```diff\n" + H_TIMER + "```\n"),
    timer(
        "index_says_new",
        "diff --git a/src/timer.js b/src/timer.js\nnew file mode 100644\n"
        "index 0000000..1234567\n--- /dev/null\n+++ b/src/timer.js\n" + H_TIMER,
    ),
    Own(
        "name_with_blanks",
        {"my docs/timer.js": TIMER},
        "--- a/my docs/timer.js\n+++ b/my docs/timer.js\n" + H_TIMER,
        {"my docs/timer.js": TIMER_NEW},
    ),
]

CRLF_CART, CRLF_NEW = CART.replace("\n", "\r\n"), CART_NEW.replace("\n", "\r\n")
H_CART = A_CART + "@@ -16,7 +16,8 @@\n" + TOTAL
LATIN = CART.replace("adds up", "adds up f\u00fcr alle").encode("latin-1")
LATIN_NEW = CART_NEW.replace("adds up", "adds up f\u00fcr alle").encode("latin-1")
SPACES = [
    cart("blank_bare", H_CART),
    cart("blank_spaced", H_CART.replace("\n\n", "\n \n")),
    cart("blank_lost_in_context", A_CART + "@@\n" + TOTAL.replace("\n\n", "\n"), rung="blank-free"),
    cart("padded", A_CART + "@@\n" + "".join(f"{row:<70}\n" for row in TOTAL.splitlines())),
    cart(
        "dedented",
        A_CART
        + "@@\n"
        + "".join(
            row[:1] + row[5:] + "\n" for row in TOTAL.splitlines() if "def" not in row and row
        ),
        rung="indent",
    ),
    cart("halved", A_CART + "@@\n" + reindented(TOTAL, 4, "  "), rung="indent"),
    cart("tabbed", A_CART + "@@\n" + reindented(TOTAL, 4, "\t"), rung="indent"),
    cart("nbsp", A_CART + "@@\n" + TOTAL.replace("    ", " \u00a0 \u00a0"), rung="unicode"),
    stack("spaces_for_tabs", A_STACK + "@@\n" + spaced(POP), rung="indent"),
    stack(
        "spaces_in_context_only",
        A_STACK
        + "@@\n"
        + "".join((row if row.startswith("+") else spaced(row)) + "\n" for row in POP.splitlines()),
    ),
    timer("doubled_unit", A_TIMER + "@@\n" + reindented(TICK, 2, "    "), rung="indent"),
    timer(
        "over_indented",
        A_TIMER + "@@\n" + "".join(row[:1] + "  " + row[1:] + "\n" for row in TICK.splitlines()),
    ),
    timer(
        "blank_after_operator",
        A_TIMER + "@@\n" + "".join(row[:1] + " " + row[1:] + "\n" for row in TICK.splitlines()),
        repairs=("spaced",),
    ),
    timer(
        "context_one_blank_more",
        A_TIMER
        + "@@\n"
        + "".join((" " + row if row.startswith(" ") else row) + "\n" for row in TICK.splitlines()),
        repairs=("doubled",),
    ),
    timer(
        "operator_lost",
        A_TIMER
        + "@@\n"
        + "".join((row[1:] if row.startswith(" ") else row) + "\n" for row in TICK.splitlines()),
        repairs=("dropped",),
    ),
    Own("crlf_file", {"shop/cart.py": CRLF_CART}, H_CART, {"shop/cart.py": CRLF_NEW}),
    cart("crlf_answer", H_CART.replace("\n", "\r\n")),
    Own(
        "crlf_both",
        {"shop/cart.py": CRLF_CART},
        H_CART.replace("\n", "\r\n"),
        {"shop/cart.py": CRLF_NEW},
    ),
    Own(
        "bom_kept", {"shop/cart.py": "\ufeff" + CART}, H_CART, {"shop/cart.py": "\ufeff" + CART_NEW}
    ),
    Own(
        "no_newline_kept",
        {"shop/cart.py": CART.rstrip("\n")},
        A_CART + "@@ -26,2 +26,2 @@\n def rounded(value):\n"
        "-    return math.floor(value * 100 + 0.5) / 100\n+    return round(value, 2)\n",
        {"shop/cart.py": CART.replace("math.floor(value * 100 + 0.5) / 100\n", "round(value, 2)")},
    ),
    cart("no_newline_marker_spurious", H_CART + "\\ No newline at end of file\n"),
    Own("latin1_kept", {"shop/cart.py": LATIN}, H_CART, {"shop/cart.py": LATIN_NEW}),
    Own(
        "latin1_context_as_utf8",
        {"shop/cart.py": LATIN},
        A_CART
        + '@@ -1,3 +1,4 @@\n """A cart that adds up f\u00fcr alle."""\n \n+import \u00fcber\n'
        " import math\n",
        {"shop/cart.py": LATIN.replace(b"import math", b"import \xfcber\nimport math")},
    ),
    cart("entities", H_CART.replace("self.lines", "self.lines").replace("<", "&lt;")),
    Own(
        "entities_unescaped",
        {"shop/cart.py": CART},
        A_CART + "@@\n     def add(self, name, price, pieces=1):\n-        if pieces &lt; 1:\n"
        "+        if pieces &lt;= 0:\n"
        "             raise ValueError(&quot;at least one piece&quot;)\n",
        {"shop/cart.py": CART.replace("pieces < 1", "pieces <= 0")},
        repairs=("entities",),
    ),
    Own(
        "smart_quotes",
        {"shop/cart.py": CART},
        A_CART + "@@\n         if pieces < 1:\n"
        "-            raise ValueError(\u201cat least one piece\u201d)\n"
        "+            raise ValueError(\u201cone piece or more\u201d)\n",
        {"shop/cart.py": CART.replace("at least one piece", "one piece or more")},
        rung="unicode",
    ),
    Own(
        "trailing_blanks_kept",
        {"a.txt": "one  \ntwo  \nthree-and-more  \nfour  \n"},
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,4 +1,5 @@\n one\n two\n+new\n three-and-more\n four\n",
        {"a.txt": "one  \ntwo  \nnew\nthree-and-more  \nfour  \n"},
        rung="trailing",
    ),
]

CONTEXT = [
    Own(
        "first_line_glued_to_header",
        {"a.py": "import os\nimport sys\n\n\ndef run():\n    return os.name\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,2 @@ import os\n+import re\n",
        {"a.py": "import os\nimport re\nimport sys\n\n\ndef run():\n    return os.name\n"},
        repairs=("glued",),
    ),
    cart(
        "context_numbers",
        A_CART
        + "@@\n"
        + "".join(
            f"{row[:1] or ' '} {at + 16:3d} | {row[1:]}\n"
            for at, row in enumerate(TOTAL.splitlines())
        ),
        repairs=("numbered",),
    ),
    Own(
        "context_skips_a_line",
        {"shop/cart.py": CART},
        A_CART + "@@ -11,9 +11,9 @@\n     def add(self, name, price, pieces=1):\n"
        '             raise ValueError("at least one piece")\n'
        "         self.lines.append((name, price, pieces))\n \n     def total(self):\n"
        "-        result = 0\n+        result = 0.0\n"
        "         for name, price, pieces in self.lines:\n",
        {"shop/cart.py": CART.replace("result = 0\n", "result = 0.0\n")},
        rung="core",
    ),
    Own(
        "context_stale",
        {"shop/cart.py": CART},
        A_CART + "@@ -16,6 +16,6 @@\n     def total(self, currency):\n         result = 0\n"
        "         for name, price, pieces in self.lines:\n"
        "-            result += price * pieces\n+            result += rounded(price * pieces)\n"
        "         return result\n",
        {"shop/cart.py": CART.replace("+= price * pieces", "+= rounded(price * pieces)")},
        rung="core",
    ),
    Own(
        "context_remark_left_out",
        {"a.py": "def run(job):  # entry\n    job.start()\n    job.wait()\n"},
        "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n def run(job):\n     job.start()\n"
        "-    job.wait()\n+    job.wait(timeout=5)\n",
        {"a.py": "def run(job):  # entry\n    job.start()\n    job.wait(timeout=5)\n"},
    ),
    Own(
        "context_elided",
        {"shop/cart.py": CART},
        A_CART + "@@ -6,20 +6,22 @@\n class Cart:\n     def __init__(self, owner):\n"
        "-        self.owner = owner\n"
        "+        self.owner = owner.strip()\n         self.lines = []\n"
        " ...\n     def clear(self):\n+        # the owner stays\n         self.lines = []\n",
        {
            "shop/cart.py": CART.replace("owner = owner", "owner = owner.strip()").replace(
                "def clear(self):\n", "def clear(self):\n        # the owner stays\n"
            )
        },
        repairs=("elided",),
    ),
    Own(
        "twins_by_line",
        {"twins.py": TWINS},
        A_TWINS + "@@ -8,3 +8,4 @@\n     start(x)\n     move(x)\n+    stop(x)\n     return x\n",
        {"twins.py": TWINS + "\n"[1:]}
        and {"twins.py": TWINS[: TWINS.rindex("    return")] + "    stop(x)\n    return x\n"},
    ),
    Own(
        "twins_by_heading",
        {"twins.py": TWINS},
        A_TWINS + "@@ def south(x):\n     start(x)\n     move(x)\n+    stop(x)\n     return x\n",
        {"twins.py": TWINS[: TWINS.rindex("    return")] + "    stop(x)\n    return x\n"},
    ),
    cart(
        "no_context_at_all",
        A_CART
        + (
            "@@ -17,1 +17,2 @@\n-        result = 0\n"
            "+        result = 0\n+        seen = len(self.lines)\n"
            "@@ -20,1 +21,1 @@\n-        return result\n+        return result if seen else 0\n"
        ),
    ),
]

STRUCTURE = [
    cart("hunk_twice", H_CART + "@@ -16,7 +16,8 @@\n" + TOTAL),
    cart("section_twice", H_CART + H_CART),
    cart(
        "plus_before_minus",
        A_CART
        + "@@\n"
        + TOTAL.replace(
            "-        return result\n+        return result if seen else 0\n",
            "+        return result if seen else 0\n-        return result\n",
        ),
    ),
    cart(
        "unchanged_told_as_changed",
        A_CART
        + "@@\n"
        + TOTAL.replace("         result = 0\n", "-        result = 0\n+        result = 0\n"),
    ),
    cart(
        "idle_hunk",
        A_CART + '@@ -1,3 +1,3 @@\n """A cart that adds up."""\n \n import math\n'
        "@@ -16,7 +16,8 @@\n" + TOTAL,
    ),
    Own(
        "order_reversed",
        {"shop/cart.py": CART},
        A_CART + "@@ -22,2 +22,2 @@\n     def clear(self):\n-        self.lines = []\n"
        "+        self.lines.clear()\n@@ -3,1 +3,2 @@\n import math\n+import os\n",
        {
            "shop/cart.py": CART.replace("import math\n", "import math\nimport os\n").replace(
                "def clear(self):\n        self.lines = []",
                "def clear(self):\n        self.lines.clear()",
            )
        },
    ),
    Own(
        "done_before",
        {"shop/cart.py": CART_NEW},
        H_CART,
        {"shop/cart.py": CART_NEW},
        rung="already",
    ),
    Own(
        "half_done_before",
        {"shop/cart.py": CART.replace("import math", "import math\nimport os")},
        A_CART + '@@ -1,4 +1,5 @@\n """A cart that adds up."""\n \n import math\n+import os\n \n'
        "@@ -16,7 +17,8 @@\n" + TOTAL,
        {"shop/cart.py": CART_NEW.replace("import math", "import math\nimport os")},
    ),
]

FILES = [
    Own("new_file", {"shop/cart.py": CART}, NEW + "@@ -0,0 +1,5 @@\n" + PLUS_NOTE, WITH_NOTE),
    Own("new_count_low", {"shop/cart.py": CART}, NEW + "@@ -0,0 +1,3 @@\n" + PLUS_NOTE, WITH_NOTE),
    Own("new_count_high", {"shop/cart.py": CART}, NEW + "@@ -0,0 +1,9 @@\n" + PLUS_NOTE, WITH_NOTE),
    Own("new_range_one", {"shop/cart.py": CART}, NEW + "@@ -1,0 +1,5 @@\n" + PLUS_NOTE, WITH_NOTE),
    Own("new_bare", {"shop/cart.py": CART}, NEW + "@@\n" + PLUS_NOTE, WITH_NOTE),
    Own("new_no_hunk_header", {"shop/cart.py": CART}, NEW + PLUS_NOTE, WITH_NOTE),
    Own(
        "new_blank_without_plus",
        {"shop/cart.py": CART},
        NEW + "@@ -0,0 +1,5 @@\n" + PLUS_NOTE.replace("+\n", "\n"),
        WITH_NOTE,
    ),
    Own(
        "new_told_as_edit",
        {"shop/cart.py": CART},
        "--- a/shop/note.py\n+++ b/shop/note.py\n@@ -0,0 +1,5 @@\n" + PLUS_NOTE,
        WITH_NOTE,
    ),
    Own("new_in_empty_tree", {}, NEW + "@@ -0,0 +1,2 @@\n" + PLUS_NOTE, {"shop/note.py": NOTE}),
    Own(
        "new_empty_file",
        {"shop/cart.py": CART},
        "diff --git a/shop/__init__.py b/shop/__init__.py\nnew file mode 100644\n"
        "index 0000000..e69de29\n",
        {"shop/cart.py": CART, "shop/__init__.py": ""},
    ),
    Own(
        "fill_empty_file",
        {"shop/cart.py": CART, "shop/note.py": ""},
        "--- a/shop/note.py\n+++ b/shop/note.py\n@@ -0,0 +1,5 @@\n" + PLUS_NOTE,
        WITH_NOTE,
    ),
    Own("new_same_exists", WITH_NOTE, NEW + "@@ -0,0 +1,5 @@\n" + PLUS_NOTE, WITH_NOTE),
    Own(
        "delete",
        WITH_NOTE,
        "--- a/shop/note.py\n+++ /dev/null\n@@ -1,9 +0,0 @@\n" + PLUS_NOTE.replace("+", "-"),
        {"shop/cart.py": CART},
    ),
    Own(
        "delete_named_both_sides",
        WITH_NOTE,
        "diff --git a/shop/note.py b/shop/note.py\ndeleted file mode 100644\n--- a/shop/note.py\n"
        "+++ b/shop/note.py\n@@ -1,5 +0,0 @@\n" + PLUS_NOTE.replace("+", "-"),
        {"shop/cart.py": CART},
    ),
    Own(
        "rename_with_edit",
        {"shop/cart.py": CART},
        "diff --git a/shop/cart.py b/shop/basket.py\n"
        "similarity index 90%\nrename from shop/cart.py\n"
        "rename to shop/basket.py\n--- a/shop/cart.py\n+++ b/shop/basket.py\n@@ -16,5 +16,4 @@\n"
        + TOTAL,
        {"shop/basket.py": CART_NEW},
    ),
    Own(
        "rename_alone",
        {"shop/cart.py": CART},
        "diff --git a/shop/cart.py b/shop/basket.py\nsimilarity index 100%\n"
        "rename from shop/cart.py\nrename to shop/basket.py\n",
        {"shop/basket.py": CART},
    ),
]

SEARCH = (
    "shop/cart.py\n```python\n<<<<<<< SEARCH\n        result = 0\n"
    "        for name, price, pieces in self.lines:\n            result += price * pieces\n"
    "        return result\n=======\n        result = 0\n        seen = len(self.lines)\n"
    "        for name, price, pieces in self.lines:\n            result += price * pieces\n"
    "        return result if seen else 0\n>>>>>>> REPLACE\n```\n"
)
AROUND = [
    cart("fence", "```diff\n" + H_CART + "```\n"),
    cart("fence_open", "```diff\n" + H_CART),
    cart(
        "fence_in_list",
        "1. Do this:\n\n   ```diff\n"
        + "".join(f"   {row}\n" for row in H_CART.splitlines())
        + "   ```\n",
    ),
    cart("prose_around", "I looked at it:\n\n- one\n- two\n\n```\n" + H_CART + "```\n\n- done\n"),
    cart("tag", "<patch>\n" + H_CART + "</patch>\n"),
    cart("tilde_in_tag", "<answer>\n~~~diff\n" + H_CART + "~~~\n</answer>\n"),
    cart("angle_marks", "<<<\n" + H_CART + ">>>\n"),
    cart("heredoc", "patch -p1 <<'END'\n" + H_CART + "END\n"),
    cart("whole_indented", "".join(f"    {row}\n" for row in H_CART.splitlines())),
    cart("quoted_mail", "".join(f"> {row}\n" for row in H_CART.splitlines())),
    cart(
        "mail",
        "From 1f2e Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n 1 file\n\n"
        + H_CART
        + "-- \n2.47.1\n\n",
    ),
    cart("no_final_newline", H_CART.rstrip("\n")),
    cart("json", '{"diff": "' + H_CART.replace("\n", "\\n").replace('"', '\\"') + '"}'),
    cart("json_escapes_only", H_CART.replace("\n", "\\n")),
    cart("search_block", SEARCH),
    cart(
        "envelope",
        "*** Begin Patch\n*** Update File: shop/cart.py\n@@ class Cart:\n"
        + TOTAL
        + "*** End Patch\n",
    ),
    Own(
        "envelope_files",
        {"shop/cart.py": CART, "old.txt": "gone\n"},
        "*** Begin Patch\n*** Add File: shop/note.py\n"
        + PLUS_NOTE
        + "*** Delete File: old.txt\n*** End Patch\n",
        WITH_NOTE,
    ),
    Own(
        "prose_between_hunks",
        {"shop/cart.py": CART},
        A_CART + "@@ -3,1 +3,2 @@\n import math\n+import os\n\nAnd then the total:\n\n"
        "@@ -16,7 +17,8 @@\n" + TOTAL,
        {"shop/cart.py": CART_NEW.replace("import math\n", "import math\nimport os\n")},
    ),
]

REFUSALS = [
    refused("nothing", "no_diff", "  \n"),
    refused("prose_only", "no_diff", "The total is wrong because pieces are not counted.\n"),
    refused("tool_error", "no_diff", "error: patch failed: shop/cart.py:12\n"),
    refused("changes_nothing", "no_diff", A_CART + "@@\n-import math\n+import math\n"),
    refused(
        "twins",
        "ambiguous",
        A_TWINS + "@@ @@\n     start(x)\n     move(x)\n+    stop(x)\n     return x\n",
        {"twins.py": TWINS},
    ),
    refused(
        "twins_line_between",
        "ambiguous",
        A_TWINS + "@@ -5,3 +5,4 @@\n     start(x)\n     move(x)\n+    stop(x)\n     return x\n",
        {"twins.py": TWINS},
    ),
    refused(
        "twins_line_against_heading",
        "ambiguous",
        A_TWINS + "@@ -2,3 +2,4 @@ def south(x):\n     start(x)\n     move(x)\n+    stop(x)\n"
        "     return x\n",
        {"twins.py": TWINS},
    ),
    refused(
        "name_fits_two",
        "ambiguous",
        "--- a/cart.py\n+++ b/cart.py\n@@\n" + TOTAL,
        {"a1/cart.py": CART, "b1/cart.py": CART},
    ),
    refused("entity_in_doubt", "ambiguous", A_CART + "@@\n import math\n+SIGN = &lt;\n"),
    refused(
        "removed_differs",
        "no_match",
        H_CART.replace("-        return result", "-        return sum"),
    ),
    refused("context_invented", "no_match", H_CART.replace("result = 0", "total = Decimal(0)")),
    refused("plus_lost", "no_match", H_CART.replace("+        seen", "         seen")),
    refused("other_file", "no_match", H_CART, {"shop/cart.py": TIMER}),
    refused(
        "second_hunk_invented",
        "no_match",
        H_CART
        + "@@ -25,2 +26,2 @@\n def invented(value):\n-    return nothing\n+    return None\n",
    ),
    refused(
        "delete_of_more",
        "no_match",
        "--- a/shop/cart.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-import math\n-\n",
        {"shop/cart.py": "import math\n\nmore\n"},
    ),
    refused("file_missing", "missing_file", H_CART, {"other.py": "x = 1\n"}),
    refused("tree_empty", "missing_file", H_CART, {}),
    refused("cut_in_line", "truncated", H_CART[:-60].rstrip("\n")),
    refused("cut_after_names", "truncated", H_CART + "--- a/shop/other.py"),
    refused("cut_in_new_file", "truncated", NEW + "@@ -0,0 +1,5 @@\n" + PLUS_NOTE[:30]),
    refused("cut_note", "truncated", H_CART[:150] + "\n[... output truncated ...]\n"),
    refused("cut_json", "truncated", '{"diff": "' + H_CART[:-40].replace("\n", "\\n")),
    refused(
        "envelope_without_end",
        "truncated",
        "*** Begin Patch\n*** Update File: shop/cart.py\n@@\n" + TOTAL,
    ),
    refused("search_without_end", "truncated", SEARCH.split(">>>>>>>", maxsplit=1)[0]),
    refused(
        "placeholder",
        "elided",
        H_CART.replace(
            "+        seen", "+        # ... rest of the method unchanged ...\n+        seen"
        ),
    ),
    refused(
        "placeholder_new",
        "elided",
        NEW + "@@ -0,0 +1,2 @@\n+def note(text):\n+    # ... existing code ...\n",
    ),
    refused(
        "removed_elided",
        "elided",
        A_CART
        + "@@\n     def total(self):\n-        ...\n-        return result\n+        return 0\n",
    ),
    refused(
        "elided_beside_removed",
        "elided",
        A_CART + "@@\n     def total(self):\n-        result = 0\n"
        " ...\n-        return result\n+        return 0\n",
    ),
    refused("exists", "exists", NEW + "@@ -0,0 +1,5 @@\n" + PLUS_NOTE, {"shop/note.py": "other\n"}),
    refused(
        "rename_onto_file",
        "exists",
        "diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n",
        {"a.py": "1\n", "b.py": "2\n"},
    ),
    refused(
        "two_minds",
        "conflict",
        A_CART
        + "@@ -3 +3 @@\n-import math\n+import cmath\n@@ -3 +3 @@\n-import math\n+import os\n",
    ),
    refused(
        "new_file_twice",
        "conflict",
        NEW + "@@ -0,0 +1 @@\n+one\n" + NEW + "@@ -0,0 +1 @@\n+two\n",
    ),
    refused("plus_only", "no_anchor", A_CART + "@@ @@\n+import os\n"),
    refused("plus_only_numbered", "no_anchor", A_CART + "@@ -12,0 +13,1 @@\n+import os\n"),
    refused("climbs_out", "unsafe_path", "--- /dev/null\n+++ b/../x.txt\n@@ -0,0 +1 @@\n+x\n"),
    refused("absolute", "unsafe_path", "--- /dev/null\n+++ /tmp/never/x.txt\n@@ -0,0 +1 @@\n+x\n"),
    refused("git_dir", "unsafe_path", "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n"),
    refused(
        "git_dir_case", "unsafe_path", "--- /dev/null\n+++ b/sub/.GIT/config\n@@ -0,0 +1 @@\n+x\n"
    ),
    refused(
        "makes_link",
        "unsafe_path",
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n",
    ),
    refused("combined", "unsupported", "diff --cc shop/cart.py\n@@@ -1,1 -1,1 +1,2 @@@\n++x\n"),
    refused(
        "binary",
        "unsupported",
        H_CART + "diff --git a/l.png b/l.png\nBinary files a/l.png and b/l.png differ\n",
    ),
    refused(
        "submodule",
        "unsupported",
        "diff --git a/v b/v\nnew file mode 160000\n--- /dev/null\n"
        "+++ b/v\n@@ -0,0 +1 @@\n+Subproject commit 1234567890\n",
    ),
    refused(
        "merge_marks",
        "unsafe_content",
        H_CART.replace("+        seen", "+<<<<<<< HEAD\n+        seen"),
    ),
    refused(
        "odd_blanks_in_new_lines",
        "unsafe_content",
        A_CART + "@@\n import math\n+\u00a0\u00a0import os\n",
    ),
    refused(
        "shrinks_unannounced",
        "unsafe_content",
        "--- a/long.py\n+++ b/long.py\n@@\n def first():\n"
        + "".join(f"-    step({at})\n" for at in range(40))
        + " def last():\n",
        {
            "long.py": "def first():\n"
            + "".join(f"    step({at})\n" for at in range(40))
            + "def last():\n    pass\n"
        },
    ),
]

ALL = [
    *HEADERS,
    *NAMES,
    *SPACES,
    *CONTEXT,
    *STRUCTURE,
    *FILES,
    *AROUND,
    *REFUSALS,
]
