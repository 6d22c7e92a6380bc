"""The report as a person sees it: opened in Chromium, offline, on a desk and on a phone."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent)]
import skipping  # noqa: E402
from browser import CHROMEDRIVER, CHROMIUM, Browser  # noqa: E402

PROGRAM = os.environ["NEURALTS"]
MARKS = """
return [...document.querySelectorAll('.card[data-chart]')].map((card) => {
  const data = JSON.parse(document.getElementById('data').textContent).charts[Number(card.dataset.chart)];
  const count = (kind) => [...card.querySelectorAll('svg .mark-' + kind + '.role-mark path, svg .mark-' + kind + '.role-mark text')].length;
  const plot = card.querySelector('.plot').getBoundingClientRect(), svg = card.querySelector('svg').getBoundingClientRect();
  return {kind: data.kind, series: (data.series || []).length, lines: count('line'), areas: count('area'), points: count('symbol'), labels: count('text'),
          filled: svg.width / plot.width, legend: card.querySelectorAll('.legend button').length,
          wanted: data.kind === 'lines' ? data.lines.reduce((n, line) => n + line.x.length, 0) : data.kind === 'curves' ? data.series.reduce((n, s) => n + s.rounds.length, 0) : data.kind === 'delays' ? data.points.length : data.bars.reduce((n, bar) => n + (bar.choosing > 0) + (bar.learning > 0), 0),
          empty: [...card.querySelectorAll('svg .mark-line.role-mark path')].filter((path) => (path.getAttribute('d') || '').length < 20).length,
          buttons: card.querySelectorAll('header button').length,
          named: [...card.querySelectorAll('svg .role-axis-label text')].filter((text) => Number(getComputedStyle(text).opacity) > 0).map((text) => text.textContent)};
});"""


@unittest.skipUnless(CHROMIUM and CHROMEDRIVER, "chromium and chromedriver are not installed")
class ALoneWidth(unittest.TestCase):
    def test_its_distances_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            page = folder + "/gap.html"
            done = subprocess.run([PROGRAM, "theory", "gap", "--env", "cosine:dim=2,arms=2", "--units", "32", "--contexts", "4", "--repeats", "2", "--plot", page],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            browser = Browser(800, 600)
            self.addCleanup(browser.close)
            browser.open(page)
            browser.wait_for("return document.documentElement.dataset.drawn")
            seen = browser.ask("""return [...document.querySelectorAll('svg .mark-symbol.role-mark path')]
                .filter((path) => path.getAttribute('opacity') === '1').map((path) => path.getAttribute('transform'))""")
            self.assertEqual(len(seen), 3)
            for place in seen:
                self.assertNotIn("NaN", place)
            self.assertEqual(browser.log("browser"), [])


@unittest.skipUnless(CHROMIUM and CHROMEDRIVER, "chromium and chromedriver are not installed")
class ReportInABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp(prefix="neuralts-report-")
        done = subprocess.run([PROGRAM, "run", "--env", "quadratic,cosine", "--policy", "random,linear-ts,linear-ucb", "--set", "nu=1,0.1",
                               "--delay", "0;10;50;uniform:0..50,lost=0.1", "--seeds", "1..4", "--rounds", "300", "--quiet", "--out", cls.place], capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    def check(self, width, height, dark=False):
        browser = Browser(width, height, dark)
        self.addCleanup(browser.close)
        browser.open(self.place + "/report.html")
        self.assertEqual(int(browser.wait_for("return document.documentElement.dataset.drawn")), 6, "theory is shut at first")
        browser.ask("document.querySelector('details.section').open = true")
        browser.wait_for("return document.documentElement.dataset.drawn === '12'")
        charts = browser.ask(MARKS)
        self.assertEqual(len(charts), 12)
        self.assertEqual([chart["kind"] for chart in charts].count("curves"), 2)
        self.assertEqual([chart["kind"] for chart in charts].count("delays"), 2)
        self.assertEqual([chart["kind"] for chart in charts].count("times"), 2)
        for chart in charts:
            self.assertEqual(chart["buttons"], 2)
            self.assertEqual(chart["empty"], 0)
            self.assertGreater(chart["filled"], 0.98, "a chart fills its card")
            self.assertEqual(chart["points"], chart["wanted"])
            if chart["kind"] in ("curves", "delays"):
                self.assertEqual((chart["lines"], chart["areas"], chart["labels"], chart["legend"]), (3, 3, 3, 3))
            if chart["kind"] == "delays":
                self.assertLessEqual({"0", "10", "50", "uniform:0..50,lost=0.1"}, set(chart["named"]), "every delay is named")
        self.check_legend(browser)
        self.assertLessEqual(browser.ask("return document.documentElement.scrollWidth"), width, "the page is wider than the screen")
        for kind in ("svg", "png"):
            url = browser.ask(f"return document.querySelector('.card').view.toImageURL('{kind}')")
            self.assertTrue(url.startswith(("data:image/" + kind, "data:image/svg+xml", "blob:")), url[:40])
        self.assertEqual([entry for entry in browser.log("browser")], [])
        asked = browser.requests()
        self.assertIn(browser.page, asked)
        for address in asked:
            self.assertTrue(address.startswith(("file:", "data:", "blob:")), address)
        if folder := os.environ.get("NEURALTS_SCREENSHOTS"):
            browser.screenshot(f"{folder}/report-{width}{'-dark' if dark else ''}.png")

    def check_legend(self, browser):
        """A press on a name takes its line away in every chart, another brings it back."""
        count = """document.querySelectorAll('.card[data-chart="0"] svg .mark-line.role-mark path').length"""
        for left in (2, 3):
            browser.ask("document.querySelector('.legend button[data-name=random]').click()")
            browser.wait_for(f"return {count} === {left}")

    def test_on_a_desk(self):
        self.check(1280, 900)

    def test_on_a_phone(self):
        self.check(390, 844)

    def test_in_the_dark(self):
        self.check(1280, 900, dark=True)


@unittest.skipUnless(CHROMIUM and CHROMEDRIVER, "chromium and chromedriver are not installed")
class EvaluationInABrowser(unittest.TestCase):
    TEXTS = """return [...document.querySelectorAll('figure svg')].filter((svg) => svg.getBoundingClientRect().width > 0).map((svg) => {
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
      return {smallest: Math.min(...[...svg.querySelectorAll('text')].map((text) => scale * parseFloat(getComputedStyle(text).fontSize))),
              cut: [...svg.querySelectorAll('text')].filter((text) => text.getBoundingClientRect().left < svg.getBoundingClientRect().left - 1
                     || text.getBoundingClientRect().right > svg.getBoundingClientRect().right + 1).length};
    });"""

    def test_charts_can_be_read_on_a_desk_and_on_a_phone(self):
        with tempfile.TemporaryDirectory(prefix="neuralts-evaluation-") as place:
            for arguments in (["run", "--env", "quadratic", "--policy", "random", "--rounds", "300", "--log", place + "/log.jsonl", "--quiet"],
                              ["evaluate", place + "/log.jsonl", "--policy", "uniform,linear-ts:nu=0.1,lambda=0.5,preset=paper,constant:1", "--out", place + "/page"]):
                done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
            for width, height in ((1280, 900), (390, 844)):
                browser = Browser(width, height)
                self.addCleanup(browser.close)
                browser.open(place + "/page/evaluation.html")
                charts = browser.ask(self.TEXTS)
                self.assertEqual(len(charts), 6, "values, course, three of weights, calibration")
                for chart in charts:
                    self.assertGreaterEqual(chart["smallest"], 11, width)
                    self.assertEqual(chart["cut"], 0, width)
                self.assertIn("Value of each policy", browser.ask("return [...document.querySelectorAll('figure')].map((figure) => figure.innerText).join()"), width)
                self.assertLessEqual(browser.ask("return document.documentElement.scrollWidth"), width, "the page is wider than the screen")
                policy = browser.ask("return document.querySelector('tbody td').getBoundingClientRect().width")
                self.assertGreater(policy, 100, "a word is not broken into letters")
                self.assertLessEqual(policy, width / 2, "beside a policy's name, which stays, there is room for its numbers")
                if folder := os.environ.get("NEURALTS_SCREENSHOTS"):
                    browser.screenshot(f"{folder}/evaluation-{width}.png")


if __name__ == "__main__":
    skipping.main()
