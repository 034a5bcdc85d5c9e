// Shows the next question: asks every two seconds whether there is one, and leaves the page alone while it is the same.
setInterval(async () => {
  const main = document.querySelector("main[data-state]");
  if (!main || document.hidden) return;
  try {
    const text = await (await fetch(location.href)).text();
    const next = new DOMParser().parseFromString(text, "text/html").querySelector("main");
    if (next && next.dataset.state !== main.dataset.state) main.replaceWith(next);
  } catch { /* the next time */ }
}, 2000);
