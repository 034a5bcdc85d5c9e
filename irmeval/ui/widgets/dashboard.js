// Run once in a browser's tab. No tag may stand in this file, not in quotes either: Streamlit would leave it out.
if (!window.irmeval) {
  window.irmeval = {};

  // Back and forward: an entry for every page that was opened, each with its own settings. Streamlit would make an entry of every change
  // that the server makes to an address, and takes a page's settings out of its address just before it opens another. A change within a
  // page makes no entry here, and is undone where it belongs to the opening of another.
  const push = history.pushState.bind(history);
  let before = null;
  for (const asked of ["click", "keydown", "popstate"]) window.addEventListener(asked, () => { before = null; }, true);
  history.pushState = (state, title, url) => {
    const to = new URL(url, location.href);
    if (to.pathname === location.pathname) {
      before ??= location.href;
      history.replaceState(state, title, to);
    } else {
      if (before) history.replaceState(state, title, before);
      before = null;
      push(state, title, to);
    }
  };

  // Charts that are pictures (widgets/stills.py): once the visitor moves in the page, the buttons of those in view are pressed one after
  // the other, and again where that was in vain; at once where a picture has not the size of its chart. What the visitor does goes first:
  // a press that comes with a choice of theirs swallows it, so a movement waits for what it leads to.
  const seen = new Map();
  let movesOn = "", looking = false, acted = -Infinity;
  for (const sign of ["pointerdown", "click", "keydown", "change"]) document.addEventListener(sign, ({ isTrusted }) => {
    if (isTrusted) acted = performance.now();
  }, true);
  const fits = ({ clientWidth }, width) => !clientWidth || Math.abs(Math.log(clientWidth / width)) < 0.3;
  const asked = still => movesOn === location.pathname || !fits(still, still.getAttribute("width"));
  const look = () => {
    for (const still of seen.keys()) if (!still.isConnected) seen.delete(still);
    const [still, pressed] = [...seen].find(([still]) => asked(still)) ?? [];
    looking = !!still;
    if (!still) return;
    const now = performance.now();
    if (now - pressed > 2000 && now - acted > 500 && document.querySelector("[data-test-script-state=notRunning]")) {
      seen.set(still, now);
      const place = still.closest("[class*=st-key-still-]"), button = place.querySelector("button");
      const [, chart] = place.className.match(/st-key-still-(\S+)/);
      if (button === document.activeElement) focusWhenThere(`.st-key-${chart}`);
      button?.click();
    }
    setTimeout(look, 50);
  };
  const sight = new IntersectionObserver(changes => {
    for (const { target, isIntersecting } of changes) isIntersecting ? seen.set(target, 0) : seen.delete(target);
    if (!looking) look();
  }, { threshold: 0.1 });
  const sizes = new ResizeObserver(() => { if (!looking) look(); });
  const stills = document.getElementsByClassName("still"), known = new WeakSet();
  const meet = () => {
    for (const still of stills) {
      if (known.has(still)) continue;
      known.add(still);
      sight.observe(still);
      sizes.observe(still);
    }
  };
  meet();  // those that came to the page with this script: it may be that nothing else does
  new MutationObserver(meet).observe(document.body, { childList: true, subtree: true });
  for (const sign of ["pointermove", "pointerdown", "focusin", "wheel"]) document.addEventListener(sign, ({ target }) => {
    if (movesOn === location.pathname || !target.closest?.("[data-testid=stMain]")) return;
    movesOn = location.pathname;
    setTimeout(() => { if (!looking) look(); }, 150);
  }, { passive: true });

  // Buttons that save a chart: they press the camera of the chart, with their format. Into what becomes pixels goes the page's colour and
  // letters, as a browser that paints a picture takes neither from the page.
  let beneath = "";
  const write = XMLSerializer.prototype.serializeToString;
  XMLSerializer.prototype.serializeToString = function (node) {
    return write.call(this, node).replace(/\x3csvg[^>]*>/, begin => begin + beneath);
  };
  const font = async family => {
    const file = performance.getEntriesByType("resource").find(({ name }) => /SourceSans[^/]*Upright/.test(name));
    if (!file) return "";
    const data = new FileReader();
    data.readAsDataURL(await (await fetch(file.name)).blob());
    await new Promise(done => { data.onload = done; });
    return `\x3cstyle>@font-face {font-family: ${family}; font-weight: 200 900; src: url(${data.result})}\x3c/style>`;
  };
  document.addEventListener("click", async ({ target }) => {
    const { save, image } = target.dataset;
    const chart = save && document.querySelector(`.st-key-${save} .js-plotly-plot:has(.modebar-btn)`);
    const place = save && !chart && document.querySelector(`.st-key-still-${save}, .st-key-${save}`);
    if (place) {  // where it will be, once it is seen
      place.scrollIntoView({ block: "nearest" });
      setTimeout(() => target.click(), 200);
    }
    if (!chart) return;
    beneath = "";
    if (image === "png") {
      const page = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor;
      beneath = `${await font(chart._fullLayout.font.family.split(",")[0])}\x3crect width="100%" height="100%" fill="${page}"/>`;
    }
    chart._context.toImageButtonOptions.format = image;
    chart.querySelector(".modebar-btn[data-title^=Download]").click();
  });

  // What is pointed at on a chart is shown on the others of the page with the same axis: each is told that the mouse is at its place.
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

  // By keyboard: the link that skips the menus goes to the title, after which comes what the page is about; who leaves a chart that fills
  // the screen is where they were before.
  const focusWhenThere = (chart, since = performance.now(), left = 1200) => {  // and again where the chart is drawn anew
    if (acted > since || !left) return;
    if (document.activeElement === document.body) document.querySelector(`${chart} .modebar-btn[data-title=Fullscreen]`)?.focus();
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
    const left = filling;
    setTimeout(() => focusWhenThere(`.${left}`), 50);
    filling = null;
  }, true);

  // Votes of a class (pages/lessons.py): the letter of an answer, or a press on it, presses the plus of its number. Before Streamlit,
  // which has a use of its own for the letter C.
  const vote = row => {
    const plus = row?.querySelector("[data-testid=stNumberInputStepUp]");
    plus?.click();
    return plus;
  };
  document.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-testid=stNumberInput]")) vote(target.closest("[class*=st-key-vote-]"));
  });
  window.addEventListener("keydown", event => {
    const { key, target } = event;
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || !/^[a-z]$/i.test(key)) return;
    if (target.closest?.("input:not([type=checkbox]), textarea") && !target.closest("[class*=st-key-vote-]")) return;
    if (!vote(document.querySelector(`.st-key-vote-${key.toUpperCase()}`))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // The buttons that copy the address and choose the theme. Streamlit keeps the theme apart for each address that a visit may begin with,
  // and looks at it when it begins.
  window.irmeval.paint = (theme, pages) => {
    const root = location.pathname.replace(/[^/]*$/, "");
    for (const page of ["", ...pages]) localStorage.setItem(`stActiveTheme-${root}${page}-v2`, JSON.stringify(theme));
    location.reload();
  };
  const copied = button => {
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy link"; }, 2000);
  };
  const shown = button => {
    const link = button.nextElementSibling;
    link.hidden = false;
    link.value = location.href;
    link.select();
  };
  document.addEventListener("click", ({ target }) => {
    if (!target.dataset) return;
    if ("copy" in target.dataset) {
      if (!navigator.clipboard) shown(target);
      else navigator.clipboard.writeText(location.href).then(() => copied(target), () => shown(target));
    }
    if ("theme" in target.dataset) window.irmeval.paint(target.dataset.theme, target.parentElement.dataset.pages.split(" "));
  });

  // A field is written into as if by hand.
  const writeInto = (field, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  // The palette: what opens it puts the cursor into it, and what is typed until it is there is not lost. Enter takes
  // the first that is found.
  let typed = null;
  const begin = (left = 100) => {
    const field = document.querySelector("[role=dialog] [class*=-palette] input");
    if (field && document.activeElement === field) {
      if (typed) writeInto(field, typed);
      typed = null;
    } else if (left) {
      field?.focus();
      setTimeout(begin, 50, document.querySelector("[role=dialog]") ? left : left - 1);  // however long what is in it takes
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

  // The results of the report, put in order by their handles: dragged, or by the arrow keys. The server reads the order in a field that
  // nobody sees.
  const handles = () => [...document.querySelectorAll("[data-drag]")];
  const order = () => handles().map(handle => handle.dataset.drag);
  const card = handle => handle.closest("[class*=st-key-item-]");
  const arrange = keys => writeInto(document.querySelector(".st-key-report-arranged input"), keys.join(" "));
  const moved = (key, to) => {
    const keys = order().filter(other => other !== key);
    keys.splice(to, 0, key);
    return keys;
  };
  const focusAgain = (key, keys, left = 100) => {
    if (String(order()) === String(keys)) handles().find(({ dataset }) => dataset.drag === key).focus();
    else if (left) setTimeout(focusAgain, 50, key, keys, left - 1);
  };
  document.addEventListener("keydown", event => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], key = event.target.dataset?.drag;
    if (!step || key === undefined) return;
    event.preventDefault();
    const to = order().indexOf(key) + step;
    if (to < 0 || to >= order().length) return;
    const keys = moved(key, to);
    arrange(keys);
    focusAgain(key, keys);
  });
  document.addEventListener("pointerdown", ({ target, pointerId, button }) => {
    const key = target.dataset?.drag;
    if (key === undefined || button) return;
    const own = card(target), from = order().indexOf(key);
    let to = from;
    const mark = () => handles().forEach((handle, at) => {
      card(handle).toggleAttribute("data-before", to < from && at === to);
      card(handle).toggleAttribute("data-after", to > from && at === to);
    });
    const move = ({ clientY }) => {
      const middles = handles().filter(handle => handle !== target).map(handle => card(handle).getBoundingClientRect());
      to = middles.filter(({ top, height }) => top + height / 2 < clientY).length;
      mark();
      const edge = clientY < 100 ? -30 : clientY > innerHeight - 60 ? 30 : 0;
      if (edge) document.querySelector("[data-testid=stMain]").scrollBy(0, edge);
    };
    const end = ({ type }) => {
      for (const name of ["pointermove", "pointerup", "pointercancel"]) target.removeEventListener(name, name === "pointermove" ? move : end);
      own.removeAttribute("data-dragged");
      const keys = moved(key, to), changed = type === "pointerup" && to !== from;
      to = from;
      mark();
      if (changed) arrange(keys);
    };
    target.setPointerCapture(pointerId);
    own.setAttribute("data-dragged", "");
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end);
    target.addEventListener("pointercancel", end);
  });

  // Eyes and pins of runs (widgets/drawn.py). The server reads all that differ from what it drew in a field that nobody sees. Up and down
  // go from row to row, left and right from eye to pin; who pressed a button is on it again when the list is drawn anew.
  const parts = () => [...document.querySelectorAll("button[data-run]")];
  const on = button => button.getAttribute("aria-pressed");
  let last = null;
  new MutationObserver(() => {
    if (!last || last.isConnected) return;
    const { run, part } = last.dataset, again = parts().find(({ dataset }) => dataset.run === run && dataset.part === part);
    if (again && document.activeElement === document.body) again.focus();
    if (again) last = again;
  }).observe(document.body, { childList: true, subtree: true });
  document.addEventListener("click", ({ target, isTrusted }) => {
    if (!isTrusted) return;  // a chart's picture that was pressed above, while the list is drawn anew
    last = target.dataset?.run === undefined ? null : target;
    if (!last) return;
    target.setAttribute("aria-pressed", on(target) !== "true");
    const changed = parts().filter(button => on(button) !== button.dataset.was);
    const said = changed.map(button => [button.dataset.run, button.dataset.part, on(button) === "true"]);
    writeInto(document.querySelector("[class*=runs_pressed] input"), JSON.stringify(said));
  });
  document.addEventListener("keydown", event => {
    const step = { ArrowUp: -2, ArrowDown: 2, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.target.dataset?.run === undefined) return;
    event.preventDefault();
    parts()[parts().indexOf(event.target) + step]?.focus();
  });
}
