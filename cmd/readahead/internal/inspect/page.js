"use strict";
// Everything works without this; it spares clicks.
{
  const open = (details) => {
    for (let d = details; d; d = d.parentElement?.closest("details")) d.open = true;
  };

  // A segment opens its object and puts the keyboard there.
  for (const segment of document.querySelectorAll("[data-opens]")) {
    segment.addEventListener("click", (event) => {
      event.preventDefault();
      const details = document.getElementById(segment.dataset.opens);
      open(details);
      const summary = details.querySelector("summary");
      summary.focus({ preventScroll: true });
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      summary.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
    });
  }

  // Left and right lead from segment to segment.
  for (const bar of document.querySelectorAll(".segments")) {
    bar.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const all = [...bar.querySelectorAll("a")];
      const next = all[all.indexOf(document.activeElement) + step];
      if (step && next) {
        event.preventDefault();
        next.focus();
      }
    });
  }

  // Under the pointer, or with the arrow keys, a token says how likely it is.
  for (const heat of document.querySelectorAll(".heat")) {
    const readout = heat.parentElement.querySelector(".readout");
    const tokens = [...heat.children];
    let at = -1;
    const show = (i) => {
      if (!tokens[i]) return;
      tokens[at]?.classList.remove("now");
      at = i;
      tokens[at].classList.add("now");
      const code = document.createElement("code");
      code.textContent = tokens[at].textContent.replaceAll("\n", "⏎").replaceAll("\t", "⇥").replaceAll(" ", "·");
      readout.replaceChildren(code, " " + tokens[at].title);
    };
    heat.addEventListener("mouseover", (event) => show(tokens.indexOf(event.target.closest(".heat > span"))));
    heat.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) {
        event.preventDefault();
        show(Math.max(0, at + step));
      }
    });
  }

  // A link into what is closed opens it, in browsers that do not by themselves.
  const arrive = () => open(document.getElementById(location.hash.slice(1))?.closest("details"));
  addEventListener("hashchange", arrive);
  arrive();
}
