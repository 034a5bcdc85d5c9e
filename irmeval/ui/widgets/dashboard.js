// Runs once in each tab of a browser. No tag may be in this file, not even in quotes: Streamlit would remove it.
if (!window.irmeval) {
  window.irmeval = {};

  // Write into a field as if by hand.
  const writeInto = (field, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

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
  let held = null, moved = false;
  window.addEventListener("pointerdown", ({ target, isPrimary, button, clientX, clientY }) => {
    const pressed = isPrimary && button === 0 && target.closest?.(PRESSED);
    held = pressed && { pressed, clientX, clientY };
  }, true);
  window.addEventListener("pointerup", ({ clientX, clientY }) => {
    const near = held && Math.hypot(clientX - held.clientX, clientY - held.clientY) <= NEAR, pressed = held?.pressed;
    held = null;
    if (!near || document.elementsFromPoint(clientX, clientY).includes(pressed)) return;  // also below what it has opened
    moved = true;
    setTimeout(() => {
      moved = false;
      (pressed.control ?? pressed).click();  // that of a label
    });
  }, true);
  window.addEventListener("click", event => { if (moved) event.stopImmediatePropagation(); }, true);

  // A link to the first page has no path: in a new tab it would show the page that it is on.
  for (const event of ["pointerover", "pointerdown", "focusin"]) document.addEventListener(event, ({ target }) => {
    const link = target.closest?.("a[data-testid=stPageLink-NavLink]"), to = link?.getAttribute("href");
    if (to === "" || to?.startsWith("?")) link.setAttribute("href", `./${to}`);
  });
  // With Ctrl, a link opens in a new tab, also one of the menus: Streamlit would follow it in this one.
  const TO_PAGES = "a:is([data-testid=stPageLink-NavLink], [data-testid=stTopNavDropdownLink], [data-testid=stSidebarNavLink])";
  window.addEventListener("click", event => {
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (elsewhere && event.target.closest?.(TO_PAGES)) event.stopImmediatePropagation();
  }, true);

  // A button that saves a chart presses the camera in its mode bar, with its format.
  const save = ({ dataset }) => {
    const chart = document.querySelector(`.st-key-${dataset.save} .js-plotly-plot:has(.modebar-btn)`);
    if (!chart) return;
    chart._context.toImageButtonOptions.format = dataset.image;
    chart.querySelector(".modebar-btn[data-title^=Download]").click();
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

  // Streamlit stores the theme once for each page, and reads it only at the start.
  const paint = ({ dataset: { theme }, parentElement }) => {
    const root = location.pathname.replace(/[^/]*$/, ""), pages = parentElement.dataset.pages.split(" ");
    for (const page of ["", ...pages]) localStorage.setItem(`stActiveTheme-${root}${page}-v2`, JSON.stringify(theme));
    location.reload();
  };

  // Charts have the colours of their page: where a device gets dark or light meanwhile, the page is drawn again, as by Streamlit's key R.
  // That would close a dialog, with what is typed into it: it comes after.
  const drawAgain = () => {
    if (document.querySelector("[data-testid=stDialog]")) return setTimeout(drawAgain, 500);
    for (const event of ["keydown", "keyup"]) document.dispatchEvent(new KeyboardEvent(event, { key: "r", code: "KeyR", bubbles: true }));
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => requestIdleCallback(drawAgain));

  // The link that skips the menus goes to the title of the page.
  const skip = event => {
    const title = document.querySelector("[data-testid=stMain] h1");
    if (!title) return;
    event.preventDefault();
    event.stopPropagation();
    title.tabIndex = -1;
    title.focus();
  };

  // The palette: opening it puts the cursor into it, and letters typed until then are not lost.
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
    if (typed !== null || document.querySelector("[role=dialog]")) return;
    typed = "";
    begin();
  };
  window.addEventListener("keydown", event => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey && key.toLowerCase() === "k") open();
    if (typed === null || key.length !== 1 || ctrlKey || metaKey || altKey) return;
    typed += key;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // Eyes, names and pins of runs (widgets/runs_in_charts.py). The server reads in an invisible field all those that differ from what it
  // drew. Up and down arrows change the row, left and right go from eye to name and pin.
  const parts = () => [...document.querySelectorAll("button[data-run]")];
  const on = button => button.getAttribute("aria-pressed") === "true";
  const mark = button => {
    button.setAttribute("aria-pressed", !on(button));
    const changed = parts().filter(part => String(on(part)) !== part.dataset.was);
    const said = changed.map(part => [part.dataset.run, part.dataset.part, on(part)]);
    writeInto(document.querySelector("[class*=runs_pressed] input"), JSON.stringify(said));
  };
  document.addEventListener("keydown", event => {
    const step = { ArrowUp: -3, ArrowDown: 3, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.target.dataset?.run === undefined) return;
    event.preventDefault();
    parts()[parts().indexOf(event.target) + step]?.focus();
  });

  // What a press does, by what is pressed. The link is looked at first of all, since Streamlit would follow it.
  const PRESSES = { "[data-save]": save, "[data-copy]": copy, "button[data-theme]": paint, ".st-key-palette_open": open, "[data-run]": mark };
  document.addEventListener("click", ({ target }) => {
    for (const [selector, act] of Object.entries(PRESSES)) {
      const pressed = target.closest(selector);
      if (pressed) act(pressed);
    }
  });
  document.addEventListener("click", event => event.target.closest("[data-testid=stSkipToContent]") && skip(event), true);
  // An entry of the palette draws a button that is pressed as soon as it is there (a style of 1 ms).
  document.addEventListener("animationstart", ({ animationName, target }) => { if (animationName === "press") target.click(); });

  // The focus returns to a button of the list of runs, or to one that fills the screen with a chart, where it is drawn again.
  const KEPT = ".modebar-btn[data-title~=fullscreen i]";
  const placeOf = target => {
    const { run, part } = target.dataset ?? {}, chart = target.closest?.(KEPT)?.closest("[class*=st-key-chart-]");
    if (run !== undefined) return `[data-run="${CSS.escape(run)}"][data-part=${part}]`;
    return chart && `.${chart.className.match(/st-key-chart-\S+/)[0]} ${KEPT}`;
  };
  let focused = null;
  for (const sign of ["focusin", "click"]) document.addEventListener(sign, ({ target }) => { focused = placeOf(target); }, true);
  new MutationObserver(() => {
    if (focused && document.activeElement === document.body) document.querySelector(focused)?.focus();
  }).observe(document.body, { childList: true, subtree: true });

  // A hover on a chart also shows on the other charts of the page with the same axis: each gets a mouse event at the same place.
  const axis = area => {
    const { hovermode, xaxis } = area.closest(".js-plotly-plot")._fullLayout ?? {};
    return hovermode === "x unified" && `${xaxis.title.text} ${xaxis.range}`;
  };
  let told = [];
  document.addEventListener("mousemove", ({ isTrusted, target, clientX }) => {
    if (!isTrusted) return;
    const area = target.closest?.(".nsewdrag"), shared = area && axis(area), before = told;
    told = shared ? [...document.querySelectorAll(".nsewdrag")].filter(other => other !== area && axis(other) === shared) : [];
    for (const other of before) if (other !== area && !told.includes(other)) other.dispatchEvent(new MouseEvent("mouseout"));
    for (const other of told) {
      const from = area.getBoundingClientRect(), { left, top, width, height } = other.getBoundingClientRect();
      const at = left + width * (clientX - from.left) / from.width;
      other.dispatchEvent(new MouseEvent("mousemove", { clientX: at, clientY: top + height / 2 }));
    }
  });

  // A text in the line of the settings that is cut is whole in a tooltip.
  document.addEventListener("mouseover", ({ target }) => {
    const text = target.closest?.("[class*=st-key-in_force] :is([data-testid=stCaptionContainer] p, input[role=combobox])");
    if (text) text.title = text.scrollWidth > text.clientWidth ? text.value ?? text.textContent : "";
  });

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
  const drawings = () => document.querySelectorAll(".js-plotly-plot .main-svg");
  const size = svg => `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`;
  window.addEventListener("beforeprint", () => { for (const svg of drawings()) svg.setAttribute("viewBox", size(svg)); });
  window.addEventListener("afterprint", () => { for (const svg of drawings()) svg.removeAttribute("viewBox"); });

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
