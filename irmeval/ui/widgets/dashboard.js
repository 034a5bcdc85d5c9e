// Runs once in each tab of a browser. No tag may be in this file, not even in quotes: Streamlit would remove it.
if (!window.irmeval) {
  window.irmeval = {};

  // Back and forward lead from page to page: Streamlit adds an entry for each change that the server makes to the address of a page.
  window.navigation?.addEventListener("navigate", event => {
    const { navigationType, destination: { url } } = event;
    if (navigationType !== "push" || !event.cancelable || new URL(url).pathname !== location.pathname) return;
    event.preventDefault();
    history.replaceState(history.state, "", url);
  });

  // A press counts where it began, also if the page moves under the pointer before it ends, as its result comes and its progress goes. A
  // browser takes it for no press at all: it ends on another element.
  const PRESSED = "button, a[href], label, summary, [role=radio], [role=tab]";
  const NEAR = 4;  // pixels: who moves the pointer farther has thought better of it
  let held = null, moved = null;
  window.addEventListener("pointerdown", ({ target, isPrimary, button, clientX, clientY }) => {
    const pressed = isPrimary && button === 0 && target.closest?.(PRESSED);
    held = pressed && { pressed, clientX, clientY };
  }, true);
  window.addEventListener("pointerup", ({ clientX, clientY }) => {
    const near = held && Math.hypot(clientX - held.clientX, clientY - held.clientY) <= NEAR;
    const { left, top, right, bottom } = near ? held.pressed.getBoundingClientRect() : {};
    const below = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;  // what it has opened may be above it
    moved = near && !below ? held.pressed : null;
    held = null;
    if (moved) setTimeout(() => {
      const pressed = moved.control ?? moved;  // that of a label
      moved = null;
      pressed.click();
    });
  }, true);
  window.addEventListener("click", event => { if (moved) event.stopImmediatePropagation(); }, true);

  // Buttons that save a chart press the camera in its mode bar, with their format.
  document.addEventListener("click", ({ target }) => {
    const { save, image } = target.dataset, chart = save && document.querySelector(`.st-key-${save} .js-plotly-plot:has(.modebar-btn)`);
    if (!chart) return;
    chart._context.toImageButtonOptions.format = image;
    chart.querySelector(".modebar-btn[data-title^=Download]").click();
  });

  // A hover on a chart also shows on the other charts of the page with the same axis: each gets a mouse event at the same place.
  const axis = ({ _fullLayout: { hovermode, xaxis } = {} }) => hovermode === "x unified" && `${xaxis.title.text} ${xaxis.range}`;
  let told = [];
  document.addEventListener("mousemove", ({ isTrusted, target, clientX }) => {
    if (!isTrusted) return;
    const area = target.closest?.(".nsewdrag"), own = area?.closest(".js-plotly-plot");
    const shared = own && axis(own), before = told;
    told = shared ? [...document.querySelectorAll(".js-plotly-plot")].filter(chart => chart !== own && axis(chart) === shared) : [];
    for (const chart of before.filter(chart => !told.includes(chart) && chart !== own))
      chart.querySelector(".nsewdrag")?.dispatchEvent(new MouseEvent("mouseout"));
    for (const chart of told) {
      const from = area.getBoundingClientRect(), place = chart.querySelector(".nsewdrag"), { left, top, width, height } = place.getBoundingClientRect();
      const at = left + width * (clientX - from.left) / from.width;
      place.dispatchEvent(new MouseEvent("mousemove", { clientX: at, clientY: top + height / 2 }));
    }
  });

  // A text in the line of the settings that is cut is whole in a tooltip.
  document.addEventListener("mouseover", ({ target }) => {
    const text = target.closest?.("[class*=st-key-in_force] :is([data-testid=stCaptionContainer] p, input[role=combobox])");
    if (text) text.title = text.scrollWidth > text.clientWidth ? text.value ?? text.textContent : "";
  });

  let acted = -Infinity;
  for (const sign of ["pointerdown", "click", "keydown", "change"]) document.addEventListener(sign, () => { acted = performance.now(); }, true);
  // Keyboard: the link that skips the menus goes to the title of the page. After a chart that filled the screen, the focus returns to it,
  // also when it is drawn again, until the visitor does something.
  const focusWhenThere = (chart, since = performance.now(), left = 1200) => {
    if (acted > since || !left) return;
    if (document.activeElement === document.body) document.querySelector(`.${chart} .modebar-btn[data-title=Fullscreen]`)?.focus();
    setTimeout(focusWhenThere, 50, chart, since, left - 1);
  };
  let filling = null;
  document.addEventListener("click", event => {
    const title = event.target.closest?.("[data-testid=stSkipToContent]") && document.querySelector("[data-testid=stMain] h1");
    if (title) {
      event.preventDefault();
      event.stopPropagation();
      title.tabIndex = -1;
      title.focus();
    }
    filling = event.target.closest?.(".modebar-btn[data-title=Fullscreen]")?.closest("[class*=st-key-chart-]")?.className.match(/st-key-chart-\S+/)[0];
  }, true);
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !filling) return;
    setTimeout(focusWhenThere, 50, filling);
    filling = null;
  }, true);

  // Lessons (pages/lessons.py). A clicker sends Page Down and Page Up, and B or a full stop for a black screen. Streamlit's own arrows are
  // lost while a part of the page is drawn again.
  const BACK = ".st-key-lesson_back button", NEXT = ":is(.st-key-lesson_next, .st-key-lesson_now) button";
  const LEADS = { PageUp: BACK, ArrowLeft: BACK, PageDown: NEXT, ArrowRight: NEXT, " ": NEXT };
  window.addEventListener("keydown", event => {
    const { key, target } = event, button = document.querySelector(LEADS[key] ?? NEXT), { classList } = document.documentElement;
    const free = !target.closest?.(`input:not([type=checkbox]), textarea, [role=dialog]${key === " " ? ", input, button, a" : ""}`);
    if (!button || !free || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^[b.]$/i.test(key)) classList.toggle("blank");
    else if (LEADS[key]) {
      classList.remove("blank");
      button.click();
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // Paper is narrower than the window, and a chart does not learn of it: it shrinks like a picture (see the style sheet).
  for (const sign of ["beforeprint", "afterprint"]) window.addEventListener(sign, () => {
    for (const svg of document.querySelectorAll(".js-plotly-plot .main-svg")) {
      if (sign === "beforeprint") svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
      else svg.removeAttribute("viewBox");
    }
  });

  // Buttons that copy the address and choose the theme. Streamlit stores the theme once for each page, and reads it only at the start.
  const paint = (theme, pages) => {
    const root = location.pathname.replace(/[^/]*$/, "");
    for (const page of ["", ...pages]) localStorage.setItem(`stActiveTheme-${root}${page}-v2`, JSON.stringify(theme));
    location.reload();
  };
  const copy = async button => {
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    } catch {  // without TLS there is no clipboard, and a browser may forbid it: the visitor copies the address by hand
      const link = button.nextElementSibling;
      link.hidden = false;
      link.value = location.href;
      link.select();
    }
  };
  document.addEventListener("click", ({ target: { dataset, parentElement }, target }) => {
    if (dataset && "copy" in dataset) copy(target);
    if (dataset && "theme" in dataset) paint(dataset.theme, parentElement.dataset.pages.split(" "));
  });

  // Buttons that an entry of the palette presses.
  document.addEventListener("animationstart", ({ animationName, target }) => { if (animationName === "press") target.click(); });

  // Write into a field as if by hand.
  const writeInto = (field, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  // The palette: opening it puts the cursor into it, and letters typed until then are not lost. Enter takes the first result.
  let typed = null;
  const begin = (left = 100) => {
    const field = document.querySelector("[role=dialog] [class*=-palette] input");
    if (field && document.activeElement === field) {
      if (typed) writeInto(field, typed);
      typed = null;
    } else if (left) {
      field?.focus();
      setTimeout(begin, 50, document.querySelector("[role=dialog]") ? left : left - 1);  // once the dialog is there, wait for its field
    } else typed = null;
  };
  const open = () => {
    if (typed === null && !document.querySelector("[role=dialog]")) {
      typed = "";
      begin();
    }
  };
  document.addEventListener("click", ({ target }) => target.closest(".st-key-palette_open") && open());
  window.addEventListener("keydown", event => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey && key.toLowerCase() === "k") open();
    else if (typed !== null && key.length === 1 && !ctrlKey && !metaKey && !altKey) {
      typed += key;
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (key === "Enter" && event.target.closest("[role=dialog] [class*=-palette]") && !event.target.getAttribute("aria-activedescendant")) {
      event.stopImmediatePropagation();
      document.querySelector("[role=listbox] [role=option]")?.click();
    }
  }, true);

  // Eyes, names and pins of runs (widgets/runs_in_charts.py). The server reads in an invisible field all those that differ from what it
  // drew. Up and down arrows change the row, left and right go from eye to name and pin. The focus returns to the pressed button when the
  // list is drawn again.
  const parts = () => [...document.querySelectorAll("button[data-run]")];
  const on = button => button.getAttribute("aria-pressed");
  let last = null;
  new MutationObserver(() => {
    if (!last || last.isConnected) return;
    const { run, part } = last.dataset, again = parts().find(({ dataset }) => dataset.run === run && dataset.part === part);
    if (again && document.activeElement === document.body) again.focus();
    if (again) last = again;
  }).observe(document.body, { childList: true, subtree: true });
  document.addEventListener("click", ({ target }) => {
    last = target.dataset?.run === undefined ? null : target;
    if (!last) return;
    target.setAttribute("aria-pressed", on(target) !== "true");
    const changed = parts().filter(button => on(button) !== button.dataset.was);
    const said = changed.map(button => [button.dataset.run, button.dataset.part, on(button) === "true"]);
    writeInto(document.querySelector("[class*=runs_pressed] input"), JSON.stringify(said));
  });
  document.addEventListener("keydown", event => {
    const step = { ArrowUp: -3, ArrowDown: 3, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.target.dataset?.run === undefined) return;
    event.preventDefault();
    parts()[parts().indexOf(event.target) + step]?.focus();
  });

  // Files that the browser could not send (widgets/upload.py): it alone knows whether a file is lost or slow.
  let lostBefore = "[]";
  setInterval(() => {
    const field = document.querySelector("[class*=uploads_failed] input");
    const lost = document.querySelectorAll("[data-testid=stFileChip][aria-invalid=true] [data-testid=stFileChipName]");
    const now = JSON.stringify([...lost].map(({ title }) => title));
    if (!field || now === lostBefore) return;
    lostBefore = now;
    writeInto(field, now);
  }, 500);
}
