// The theme follows the system, until somebody chooses another one.

let themeChosen = false;
function setTheme(theme, chosen) {
  themeChosen = chosen;
  document.documentElement.dataset.theme = theme;
}

function toggleTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark", true);
}

const dark = matchMedia("(prefers-color-scheme: dark)");
setTheme(dark.matches ? "dark" : "light", false);
dark.addEventListener("change", () => { if (!themeChosen) setTheme(dark.matches ? "dark" : "light", false); });
