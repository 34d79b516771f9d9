# SPDX-License-Identifier: Apache-2.0
"""Opens the site in headless Chromium and searches, as a reader would.

python3 scripts/site/browse.py build/site/html
"""

from __future__ import annotations

import functools
import http.server
import shutil
import sys
import threading

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

#: What a reader searches for, and a page that the search must offer.
SEARCHES = {
    "exclusive scan": "primitives.html",
    "OpMatMul": "matrices.html",
    "Sequence::evalAsync": "cpp/classkp_1_1Sequence.html",
    "kp.Manager": "python/kp.html",
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def open_browser() -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"):
        options.add_argument(argument)
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def results(browser: webdriver.Chrome, page: str) -> list[str]:
    """The addresses that the search offers, once @p page is among them or ten seconds are over."""

    def found(browser: webdriver.Chrome) -> list[str]:
        links = browser.find_elements(By.CLASS_NAME, "md-search-result__link")
        return [link.get_attribute("href") or "" for link in links]

    try:
        WebDriverWait(browser, 10).until(lambda b: any(page in link for link in found(b)))
    except TimeoutException:
        pass
    return found(browser)


def main() -> int:
    if shutil.which("chromedriver") is None:
        print("site: LEFT OUT: Chromium and its driver are not installed; the search was NOT tried")
        return 0
    handler = functools.partial(Quiet, directory=sys.argv[1])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        failures = 0
        browser = open_browser()
        for words, page in SEARCHES.items():
            browser.get(f"{address}/index.html?q={words.replace(' ', '+')}")
            links = results(browser, page)
            if not any(page in link for link in links) or any(
                "undefined" in link for link in links
            ):
                print(f"site: a search for '{words}' does not offer {page}, but {links[:5]}")
                failures += 1
        browser.get(f"{address}/launchers.html")
        if not browser.find_elements(By.CLASS_NAME, "tabbed-labels"):
            print("site: launchers.html has no tabs for C++ and Python")
            failures += 1
        browser.quit()
        server.shutdown()
    print(f"site: Chromium searched {len(SEARCHES)} times; {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
