// Runs once in each tab of a browser. No tag may be in this file, not even in quotes: Streamlit would remove it.
if (!window.irmeval) {
  window.irmeval = {};

  // Call a function every 50 ms until it returns something true, at most `left` times.
  const retry = (done, left = 100) => { if (left && !done()) setTimeout(retry, 50, done, left - 1); };

  // Back and forward: one history entry for each opened page, with its settings. Streamlit adds an entry for each change that the server
  // makes to the address, and removes a page's settings from the address just before it opens another page. Here a change within a page
  // adds no entry, and is undone if another page is then opened.
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

  // Charts that are still pictures (widgets/stills.py). When the visitor moves in the page, the buttons of the pictures in view are
  // pressed one by one, again if a press had no effect, and at once if a picture does not fit its place. The visitor's own actions go
  // first: a press at the same time would undo them, so presses wait for half a second after each action.
  const seen = new Map();
  let movesOn = "", looking = false, acted = -Infinity;
  for (const sign of ["pointerdown", "click", "keydown", "change"]) document.addEventListener(sign, ({ isTrusted }) => {
    if (isTrusted) acted = performance.now();
  }, true);
  const fits = ({ clientWidth }, width) => !clientWidth || Math.abs(Math.log(clientWidth / width)) < 0.3;
  const asked = still => movesOn === location.pathname || !fits(still, still.getAttribute("width"));
  // Streamlit sends a press when the browser is next idle, together with all that is pressed until then, and as of the same part of the
  // page: what a visitor pressed in between would be lost. So the press of a picture is sent at once.
  const pressAlone = button => {
    const { setTimeout } = window, due = [];
    window.setTimeout = (send, wait, ...rest) => wait ? setTimeout(send, wait, ...rest) : due.push(() => send(...rest)) && 0;
    button.click();
    window.setTimeout = setTimeout;
    for (const send of due) send();
  };
  // A chart takes Plotly a second. Until it is drawn, its picture stays as a background, if the block around it holds nothing else.
  const keepPicture = (still, chart, block) => {
    if (block.childElementCount > 1) return;
    const follow = () => {
      const drawing = block.querySelector(`.st-key-${chart}`) && !block.querySelector(".main-svg");
      if (!drawing) block.style.background = "";
      else if (!block.style.background) block.style.background = `url(${still.src}) left top / contain no-repeat`;
      if (drawing || still.isConnected) requestAnimationFrame(follow);
    };
    follow();
  };
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
      if (button) {
        keepPicture(still, chart, place.parentElement.parentElement);
        pressAlone(button);
      }
    }
    setTimeout(look, 50);
  };
  // The script that draws charts is large: it is loaded after the first pictures, or once the visitor moves.
  const charts = document.createElement("link"), others = document.querySelector("script[src*='/static/js/']");
  const loadCharts = () => {
    if (!charts.isConnected && others && "CHARTS") document.head.append(charts);
  };
  charts.rel = "modulepreload";
  charts.href = others?.src.replace(/[^/]*$/, "CHARTS");
  const sight = new IntersectionObserver(changes => {
    for (const { target, isIntersecting } of changes) isIntersecting ? seen.set(target, 0) : seen.delete(target);
    if (!looking) look();
    setTimeout(loadCharts, 300);
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
  meet();  // pictures that came with this script: nothing else may come after them
  new MutationObserver(meet).observe(document.body, { childList: true, subtree: true });
  for (const sign of ["pointermove", "pointerdown", "focusin", "wheel"]) document.addEventListener(sign, ({ target }) => {
    if (movesOn === location.pathname || !target.closest?.("[data-testid=stMain]")) return;
    movesOn = location.pathname;
    loadCharts();
    setTimeout(() => { if (!looking) look(); }, 150);
  }, { passive: true });

  // Buttons that save a chart press the camera in its mode bar, with their format. A PNG gets the background and font of the page: a
  // browser that draws an SVG on a canvas takes neither from the page.
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
    if (place) {  // still a picture: it becomes a chart once it is in view
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
    const text = target.closest?.("[class*=st-key-in_force] [data-testid=stCaptionContainer] p");
    if (text) text.title = text.scrollWidth > text.clientWidth ? text.textContent : "";
  });

  // Keyboard: the link that skips the menus goes to the title of the page. After a chart that filled the screen, the focus returns to it,
  // also when it is drawn again, until the visitor does something.
  const focusWhenThere = (chart, since = performance.now()) => retry(() => {
    if (acted > since) return true;
    if (document.activeElement === document.body) document.querySelector(`${chart} .modebar-btn[data-title=Fullscreen]`)?.focus();
  }, 1200);
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

  // Votes of a class (pages/lessons.py): the letter of an answer, or a click on it, presses the plus button of its number. Listens before
  // Streamlit, which uses the letter C itself.
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

  // The arrows lead on while a switch of a lesson has the focus, too: Streamlit takes no keys there.
  window.addEventListener("keydown", ({ key, target }) => {
    if (!target.closest?.(".st-key-lesson_bar input[type=checkbox]")) return;
    document.querySelector({ ArrowLeft: ".st-key-lesson_back button", ArrowRight: ".st-key-lesson_next button" }[key] ?? "none")?.click();
  }, true);

  // Paper is narrower than the window, and a chart does not learn of it: it shrinks like a picture (see the style sheet).
  const asPictures = on => {
    for (const svg of document.querySelectorAll(".js-plotly-plot .main-svg")) {
      if (on) svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
      else svg.removeAttribute("viewBox");
    }
  };
  window.addEventListener("beforeprint", () => asPictures(true));
  window.addEventListener("afterprint", () => asPictures(false));

  // Buttons that copy the address and choose the theme. Streamlit stores the theme once for each page, and reads it only at the start.
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

  // The order of the results in the report, changed by dragging their handles or by the arrow keys. The server reads it in an invisible
  // field.
  const handles = () => [...document.querySelectorAll("[data-drag]")];
  const order = () => handles().map(handle => handle.dataset.drag);
  const card = handle => handle.closest("[class*=st-key-item-]");
  const arrange = keys => writeInto(document.querySelector(".st-key-report-arranged input"), keys.join(" "));
  const moved = (key, to) => {
    const keys = order().filter(other => other !== key);
    keys.splice(to, 0, key);
    return keys;
  };
  document.addEventListener("keydown", event => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], key = event.target.dataset?.drag;
    if (!step || key === undefined) return;
    event.preventDefault();
    const to = order().indexOf(key) + step;
    if (to < 0 || to >= order().length) return;
    const keys = moved(key, to), isThere = () => String(order()) === String(keys);
    arrange(keys);
    retry(() => {
      if (isThere()) handles()[to].focus();
      return isThere();
    });
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

  // Eyes and pins of runs (widgets/visible_runs.py). The server reads in an invisible field all those that differ from what it drew. Up
  // and down arrows change the row, left and right go from eye to pin. The focus returns to the pressed button when the list is drawn
  // again.
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
    if (!isTrusted) return;  // the press of a picture, see above
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
