/* What the pages need beyond the theme: a table or a figure that is wider than the page scrolls and says so, a
   figure opens at its full size, and a button is called what it reads. Nothing is requested, nothing is kept. */

"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const content = document.querySelector(".bd-content");
  if (!content) return;

  // ---- what is wider than the page: a region that scrolls by touch, wheel and arrow keys, and says so below
  function scrolling(region, what, number) {
    const hint = document.createElement("p");
    hint.className = `table-hint of-${what}`;
    hint.textContent = `The ${what} goes on to the right: scroll it sideways →`;
    hint.hidden = true;
    (region.closest("a") ?? region).after(hint);
    const look = () => {
      const wide = region.scrollWidth > region.clientWidth + 1;
      hint.hidden = !wide || region.scrollLeft + region.clientWidth >= region.scrollWidth - 1;
      if (!wide) for (const name of ["tabindex", "role", "aria-label"]) region.removeAttribute(name);
      else {
        region.tabIndex = 0;
        region.setAttribute("role", "region");
        region.setAttribute("aria-label", `${what === "table" ? "Table" : "Figure"} ${number + 1} of this page, scrolls sideways`);
      }
    };
    region.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(region);
    look();
  }
  content.querySelectorAll("table:not(.claims table):not(.field-list)").forEach((table, number) => {
    if (table.closest(".table-scroll")) return;
    const region = document.createElement("div");
    region.className = "table-scroll";
    table.replaceWith(region);
    region.append(table);
    scrolling(region, "table", number);
  });
  // what scrolls can be reached by keyboard; a table of claims may begin to when the page is made narrow
  content.querySelectorAll("pre, .math.block, div.math, div.claims, div.claims-summary").forEach((box) => {
    const look = () => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    };
    new ResizeObserver(look).observe(box);
    look();
  });

  // ---- figures: the picture in a dialog, as large as it was drawn
  const LEGIBLE = 9 / (11 * 110 / 72); // of its size: labels of 9 pixels
  const dialog = document.createElement("dialog");
  dialog.className = "full-size";
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  content.querySelectorAll("figure img, .cell_output img, img.ink").forEach((image, number) => {
    const inked = image.matches(".cell_output img, img.ink"); // dark ink, turned round on dark pages
    const button = document.createElement("button");
    button.type = "button";
    button.className = "figure-button";
    button.setAttribute("aria-label", `Full size: ${image.alt}`);
    image.replaceWith(button);
    button.append(image);
    const region = document.createElement("div");
    region.className = "figure-scroll";
    button.replaceWith(region);
    region.append(button);
    scrolling(region, "figure", number);
    // no narrower on a phone than its labels can be read: they were drawn in 11 points, at 110 dots an inch
    const measure = () => image.style.setProperty("--legible", `${Math.ceil(image.naturalWidth * LEGIBLE)}px`);
    if (image.matches(".cell_output img")) image.decode().then(measure);
    button.addEventListener("click", () => {
      const large = document.createElement("img");
      large.src = image.src;
      large.alt = image.alt;
      large.className = inked ? "inked" : "";
      dialog.replaceChildren(close, large);
      dialog.showModal();
    });
  });

  // ---- bibliography: its entries have a role of their own, which a list does not allow
  content.querySelectorAll(".citation-list").forEach((list) => list.removeAttribute("role"));

  // ---- buttons: the name that is announced holds the words that are seen
  document.querySelectorAll("button.search-button-field").forEach((button) => {
    button.setAttribute("aria-label", button.textContent.replace(/\s+/g, " ").trim());
  });
  document.querySelectorAll("button.theme-switch-button").forEach((button) => {
    const name = () => {
      const seen = [...button.querySelectorAll("[data-mode]")].find((icon) => getComputedStyle(icon).display !== "none");
      button.setAttribute("aria-label", `Color mode: ${seen ? seen.title || seen.dataset.bsOriginalTitle || seen.dataset.mode : "auto"}`);
    };
    name();
    new MutationObserver(name).observe(document.documentElement, { attributeFilter: ["data-mode", "data-theme"] });
  });
  document.querySelectorAll("nav details > summary:not([aria-label])").forEach((summary) => {
    const chapter = summary.closest("li")?.querySelector("a");
    summary.setAttribute("aria-label", `Pages under ${chapter ? chapter.textContent.trim() : "this one"}`);
  });
  document.querySelectorAll("button.sidebar-toggle:not([aria-label])").forEach((button) => {
    button.setAttribute("aria-label", button.title || button.dataset.bsOriginalTitle || "Toggle sidebar");
  });
});
