"""The dashboard in a real browser."""

import re
from pathlib import Path

import numpy as np
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.report import report
from tests.driving import DRAWN, FRESH, PATIENCE, finish, go, plotted, settle, upload


def test_first_visit_when_the_page_opens_then_curves_are_drawn_and_margins_need_no_second_drawing(
    server, page
):
    page.goto(server)
    assert len(plotted(page, "chart-curves-mean")) == 4
    assert len(plotted(page, "chart-curves-tau")) == 4
    drawn = page.evaluate(
        "[...document.querySelectorAll('.js-plotly-plot')].map(p => [p.layout.margin,"
        " p._fullLayout._size])"
    )
    assert [[size[side] for side in "lrtb"] for _, size in drawn] == [
        [margin[side] for side in "lrtb"] for margin, _ in drawn
    ]
    expect(page.get_by_text("synthetic").first).to_be_visible()


def test_address_when_it_is_the_name_of_the_root_then_the_first_page_is_drawn(server, page):
    page.goto(f"{server}/start")
    assert len(plotted(page, "chart-curves-mean")) == 4


def test_link_when_it_leads_to_the_first_page_and_is_opened_in_a_new_tab_then_shows_that_page(
    server, page
):
    for name, asked, press in (
        ("collection", "", {"button": "middle"}),
        ("topics-needed?measures=AP", r"\?.*curves\.of=pool\+depth", {"modifiers": ["Control"]}),
    ):
        page.goto(f"{server}/{name}")
        link = page.get_by_test_id("stMain").get_by_role("link", name=re.compile(r"\? Curves$"))
        link.wait_for()
        finish(page)
        with page.context.expect_page() as opened:
            link.click(**press)
        with opened.value as tab:
            expect(tab.get_by_role("heading", level=1)).to_contain_text("What happens to")
            expect(tab).to_have_url(re.compile(rf"{re.escape(server)}/{asked}"))


def test_menu_when_an_entry_is_pressed_with_ctrl_then_its_page_is_in_a_new_tab_alone(server, page):
    page.goto(f"{server}/glossary")
    finish(page)
    page.get_by_role("button", name="Measures").first.click()
    with page.context.expect_page(timeout=PATIENCE // 6) as opened:
        page.get_by_role("menuitem", name=re.compile("^Agreement")).click(modifiers=["Control"])
    with opened.value as tab:
        expect(tab).to_have_url(re.compile("/agreement"))
        expect(page).to_have_url(re.compile("/glossary"))


def test_address_when_no_page_has_it_then_says_so_leads_to_like_names_and_stays_when_gone_back_to(
    server, page
):
    title, links = page.get_by_role("heading", level=1), page.locator(".st-key-next-nowhere")
    page.goto(f"{server}/deep/<b>curvs?measures=AP")
    expect(title).to_have_text("This page does not exist")
    expect(page.get_by_text("There is no page 'deep-<b>curvs'.")).to_be_visible()
    page.goto(f"{server}/leaderbord?measures=AP&measures=Q")
    expect(title).to_have_text("This page does not exist")
    settle(page)
    page.get_by_test_id("stSidebar").get_by_role("button", name=re.compile("^Remove.*Q")).click()
    page.wait_for_url("**/leaderbord?measures=AP")
    settle(page)
    links.get_by_role("link", name="Leaderboard").click()
    expect(title).to_have_text("Who is best, by which measure?")
    settle(page)
    page.go_back()
    expect(title).to_have_text("This page does not exist")
    settle(page)
    assert page.get_by_role("dialog").count() == 0  # which would be Streamlit's


LATE = """message => {
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (asked) {
        send.call(this, asked);
        WebSocket.prototype.send = send;
        const data = new Uint8Array(message).buffer;
        this.dispatchEvent(new MessageEvent("message", {data}));
    };
}"""
"""Once the browser asks for something, a message comes that was on its way."""


def test_address_when_that_of_the_page_left_comes_late_then_is_that_of_the_page_gone_back_to(
    server, page
):
    of_leaderboard = ForwardMsg(page_info_changed={"query_string": "order=Q"})
    page.goto(f"{server}/curves?trials=7")
    finish(page)
    go(page, "Runs", "Leaderboard", "text=Who is best, by which measure?")
    page.evaluate(LATE, [*of_leaderboard.SerializeToString()])
    page.go_back()
    page.wait_for_selector(f".st-key-chart-curves-mean {DRAWN}")
    finish(page)
    expect(page).to_have_url(f"{server}/curves?trials=7")


def test_upload_when_files_are_dropped_then_bad_ones_are_named_and_values_are_those_of_the_package(
    server, page, tiny, tmp_path
):
    qrels, runs = tiny
    (tmp_path / "bad.txt").write_text("1 Q0 d1 1 5.0 tag\n1 Q0 d2 2 nan tag\n")
    page.goto(f"{server}/collection?measures=AP&measures=Q%27&measures=RBP(p%3D0.8)")
    page.wait_for_selector("text=Drop qrels and runs")
    settle(page)
    upload(page, [qrels, tmp_path / "bad.txt", *sorted(runs.iterdir())])
    page.wait_for_selector("text=Your upload: example and others")
    expect(
        page.get_by_text("bad.txt, line 2: expected a score that is a number, found NaN")
    ).to_be_visible()
    settle(page)
    expect(page.get_by_text("without a relevant document")).to_be_visible()
    go(page, "Incompleteness", "Curves", f".st-key-chart-curves-mean {DRAWN}")
    finish(page)
    # take one measure away and type another
    picker = page.locator(".st-key-measures")
    picker.get_by_role("button", name=re.compile("^Remove.*RBP")).click()
    expect(picker.get_by_text("RBP")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("RBP"))
    settle(page)
    picker.get_by_role("combobox").fill("nDCG(base=2)@3'")
    picker.get_by_role("combobox").press("Enter")
    expect(page.locator(f".st-key-chart-curves-tau{FRESH}")).to_contain_text("base=2")
    settle(page)
    measures = ["AP", "Q'", "nDCG(base=2)@3'"]
    expected = EXPERIMENTS["curves"](irmeval.read_collection(qrels, runs), measures)
    for chart in ("mean", "tau"):
        shown = plotted(page, f"chart-curves-{chart}")
        assert sorted(shown) == sorted(measures)
        for measure, value in zip(measures, expected.curve(chart)[:, 0], strict=True):
            np.testing.assert_allclose(shown[measure], value, rtol=0, atol=1e-12)
    expect(page).to_have_url(re.compile("measures=nDCG"))
    go(page, "Data", "Collection", "text=Drop qrels and runs")
    page.get_by_role("button", name="Remove this collection").click()
    page.wait_for_selector("text=synthetic")


def test_names_when_they_hold_markup_then_they_are_shown_as_they_are(server, page, tmp_path):
    names = [
        "<img/src=x/onerror=alert(1)>",
        "![x](http://example.org/x.png)",
        "<b>bold</b>",
        "www.example.org",
        "me@example.org",
    ]
    names += [":smile:", ":material/home:", ":red[x]", "$x^2$", "a:b{c=d}", "http://example.org/b"]
    qrels = "q [x](http:) :smile: www.example.org"
    (tmp_path / qrels).write_text("1 0 d1 1\n1 0 d2 0\n2 0 d1 0\n2 0 d2 1\n")
    for i, name in enumerate(names):
        (tmp_path / f"run{i}").write_text(f"1 Q0 d1 1 {i} {name}\n2 Q0 d{i % 2 + 1} 1 1 {name}\n")
    page.goto(f"{server}/collection?measures=AP")
    page.wait_for_selector("text=Drop qrels and runs")
    settle(page)
    upload(page, [tmp_path / qrels, *(tmp_path / f"run{i}" for i in range(len(names)))])
    page.wait_for_selector("text=Your upload: q")
    go(page, "Runs", "Leaderboard", "text=Topic by topic")
    # the name of the file stands in the sidebar, that of the best run above the table
    shown = page.locator("[data-testid=stMarkdownContainer]")
    assert "q [x](http:) :smile: www.example.org" in " ".join(shown.all_inner_texts()).replace(
        "\u2060", ""
    )
    made = shown.locator("a:not([href^='#']), img, em, del, math, code, [role=img]").evaluate_all(
        "all => all.map(one => one.outerHTML)"
    )
    assert made == []
    go(page, "Incompleteness", "Curves", "text=Run by run")
    finish(page)
    page.get_by_text("Run by run", exact=True).click()
    page.locator(".st-key-chart-runs").scroll_into_view_if_needed()
    page.locator(f".st-key-chart-runs {DRAWN}").first.wait_for(state="attached")


def test_long_work_when_started_then_it_asks_shows_progress_on_other_pages_and_stops(server, page):
    # minutes of work on a machine that is twice as fast, too: it asks if a minute is left
    page.goto(
        f"{server}/?curves.trials=1000&curves.seed=4&"
        + "&".join(f"curves.levels={r}" for r in range(100, 4, -1))
    )
    # before that it may stop by itself at any moment, to ask
    page.wait_for_selector("text=/more to .* Continue\\?/")
    settle(page)
    page.get_by_role("button", name="Go on").click()
    page.wait_for_selector("text=/Curves: \\d+ of \\d+/")
    go(page, "Runs", "Leaderboard", "text=Topic by topic")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text(re.compile(r"Curves: \d+ of \d+"))).to_be_visible()
    sidebar.get_by_role("button", name="Stop").click()
    # the text with the progress gives way to another while it waits
    expect(sidebar.get_by_role("button", name="Stop")).to_have_count(0)
    settle(page)
    go(page, "Incompleteness", "Curves", "text=/Stopped after \\d+ of \\d+/")
    expect(page.get_by_role("button", name="Go on")).to_be_visible()


def test_images_and_downloads_when_pressed_then_files_hold_chart_and_numbers_and_need_no_network(
    server, page
):
    page.goto(f"{server}/curves?measures=AP&curves.trials=2")  # the first page, by its name
    assert [*plotted(page, "chart-curves-tau")] == ["AP"]
    settle(page)
    assert page.get_by_role("dialog").count() == 0  # which would say that there is no such page
    for name, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as started:
            page.get_by_role("button", name=f"Save Kendall's tau as {name}").press("Enter")
        assert started.value.suggested_filename == f"curves-tau.{name.lower()}"
        assert Path(started.value.path()).read_bytes().startswith(begins)
    page.get_by_test_id("stMain").get_by_text("Download", exact=True).click()
    page.wait_for_selector("text=Summary (table)")
    settle(page)
    with page.expect_download() as started:
        page.locator(".st-key-curves-every-trial-csv button").click()
    lines = Path(started.value.path()).read_text().splitlines()
    assert lines[0] == "measure,level,left,trial,mean,tau"
    assert len(lines) == 1 + 6 * 2
    with page.expect_download() as started:
        page.locator(".st-key-curves-mean-score-html button").click()
    html = Path(started.value.path()).read_text()
    assert "sendChartToCloud" in html
    page.goto("about:blank")  # from here, whatever is asked for is the file's doing
    sent: list[str] = []
    page.on("request", lambda r: sent.append(r.url))
    page.set_content(html)
    page.wait_for_selector(DRAWN)
    page.wait_for_load_state("networkidle")
    assert not sent


def test_report_when_opened_in_a_wide_window_then_its_figures_are_whole(page):
    page.set_viewport_size({"width": 1200, "height": 800})
    page.set_content(report([EXPERIMENTS["top-heaviness"](measures=["AP", "RR"])]).html())
    page.wait_for_selector(DRAWN)
    cut = page.evaluate(
        "[...document.querySelectorAll('svg.main-svg')].filter(s => s.getBoundingClientRect().width"
        " < s.getAttribute('width'))"
    )
    assert cut == []
