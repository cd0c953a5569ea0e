"""Image recipes: the tag follows the content, and only the content."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.images import ImageError, load
from sandbox.images.bootstrap import command


def test_the_tag_names_the_toolchain_and_twelve_digits_of_the_digest() -> None:
    recipe = load("python")
    assert recipe.tag == f"patchwright/python:{recipe.digest[:12]}"
    assert len(recipe.digest) == 64


def test_a_changed_dockerfile_changes_the_tag_but_not_the_base() -> None:
    recipe = load("python")
    changed = replace(recipe, dockerfile=recipe.dockerfile + "ENV X=1\n")
    assert changed.tag != recipe.tag
    assert changed.base_tag == recipe.base_tag


def test_a_changed_package_list_changes_both() -> None:
    recipe = load("python")
    changed = replace(recipe, packages=(*recipe.packages, "tree"))
    assert changed.tag != recipe.tag
    assert changed.base_tag != recipe.base_tag


def test_another_base_to_pull_changes_the_tag() -> None:
    recipe = load("python")
    assert replace(recipe, pulled_base="debian:sid").tag != recipe.tag


def test_text_that_moves_between_parts_is_another_recipe() -> None:
    recipe = load("python")
    apart = replace(recipe, packages=("ab", "c"))
    assert apart.digest != replace(recipe, packages=("a", "bc")).digest


def test_order_and_comments_of_the_package_list_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "x.Dockerfile").write_text("FROM scratch\n")
    (tmp_path / "x.packages").write_text("git\npython3\n")
    first = load("x", tmp_path)
    (tmp_path / "x.packages").write_text("# why\npython3  # because\n\ngit\ngit\n")
    assert load("x", tmp_path) == first
    assert first.packages == ("git", "python3")


def test_an_unknown_toolchain_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ImageError, match=r"no image recipe for 'cobol'.*: .*python"):
        load("cobol")


def test_the_base_is_asked_for_as_a_tar_on_standard_output() -> None:
    recipe = load("python")
    call = command(recipe)
    assert call[call.index("bookworm") + 1] == "-"
    assert f"--include={','.join(recipe.packages)}" in call
