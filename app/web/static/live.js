// Appends what the run says; the page itself is complete without this.
const list = document.getElementById("events");
if (list && list.dataset.live) {
  const source = new EventSource(list.dataset.live);
  source.addEventListener("said", (message) => {
    if (document.getElementById("e" + message.lastEventId)) return;
    document.getElementById("waiting")?.remove();
    list.insertAdjacentHTML("beforeend", message.data); // cleaned by the server
  });
  source.addEventListener("end", () => {
    source.close();
    location.reload(); // the outcome, the diff and the proof stand on the finished page
  });
}
