"use strict";
(() => {
  const pace = 1100; // milliseconds for a step
  const find = (id) => document.getElementById(id);
  const rows = [...document.querySelectorAll(".steps > li")];
  const things = [...document.querySelectorAll("[data-from]")];
  const last = rows.length;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let at = last;
  let timer = 0;

  function show(step, { follow = true, tell = true } = {}) {
    at = Math.max(0, Math.min(last, step));
    for (const thing of things) {
      const { from, until } = thing.dataset;
      const there = at >= Number(from) && (until === undefined || at < Number(until));
      thing.dataset.there = there ? "yes" : "no";
    }
    rows.forEach((row, index) => {
      row.toggleAttribute("data-later", index + 1 > at);
      if (index + 1 === at) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
    find("scrub").value = at;
    find("scrub").setAttribute("aria-valuetext", `step ${at} of ${last}`);
    find("place").textContent = `${at} of ${last}`;
    find("first").disabled = find("back").disabled = at === 0;
    find("last").disabled = find("forward").disabled = at === last;
    const row = rows[at - 1];
    if (tell) find("live").textContent = row ? `Step ${at} of ${last}: ${row.innerText}` : "Before the first step";
    if (row && follow) {
      const box = row.getBoundingClientRect();
      if (box.top < 0 || box.bottom > innerHeight) {
        row.scrollIntoView({ block: "nearest", behavior: still.matches ? "auto" : "smooth" });
      }
    }
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    delete find("play").dataset.playing;
    find("play").setAttribute("aria-label", "Play");
    find("play").title = "Play";
  }

  function play() {
    if (at === last) show(0, { follow: false });
    find("play").dataset.playing = "";
    find("play").setAttribute("aria-label", "Pause");
    find("play").title = "Pause";
    timer = setInterval(() => {
      show(at + 1, { follow: false });
      if (at === last) pause();
    }, pace);
  }

  const toggle = () => (timer ? pause() : play());
  const go = (step, options) => {
    pause();
    show(step, options);
  };

  find("first").addEventListener("click", () => go(0, { follow: false }));
  find("back").addEventListener("click", () => go(at - 1, { follow: false }));
  find("play").addEventListener("click", toggle);
  find("forward").addEventListener("click", () => go(at + 1, { follow: false }));
  find("last").addEventListener("click", () => go(last, { follow: false }));
  find("scrub").addEventListener("input", (event) => go(Number(event.target.value), { follow: false }));
  rows.forEach((row, index) => row.querySelector(".go").addEventListener("click", () => go(index + 1)));
  const keys = {
    ArrowRight: () => go(at + 1),
    ArrowLeft: () => go(at - 1),
    Home: () => go(0),
    End: () => go(last),
    " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || !(key in keys)) return;
    if (key === " " && target.closest("button, summary")) return; // it presses what has the focus
    event.preventDefault();
    keys[key]();
  });
  document.documentElement.classList.add("js");
  show(last, { follow: false, tell: false });
})();
