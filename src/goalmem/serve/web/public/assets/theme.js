// Before the first paint, so that a chosen theme does not flash. Without a choice the system's holds (styles/base.css).
try {
  const chosen = localStorage.getItem("goalmem.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is switched off: the system's theme it is.
}
