// The page's words: its HTML holds them, in its language.

/** Groups of `domain/words/<language>/pages_*.toml`; `cards`, `faces` (what is drawn on a card), `short`, `millions`, `colon` and `bots` are the game's own. */
export const words = JSON.parse(document.getElementById("words").textContent);
export const language = document.documentElement.lang;
export const locale = language === "en" ? "en-GB" : language; // plain `en` is American

const plurals = new Intl.PluralRules(language);

/** A template with its `{names}` replaced; a value is never looked into. */
export function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

/** The form of a word for a number, which fills `{n}`; no line ends between the two. */
export function count(forms, n, values = {}) {
  return fill((forms[plurals.select(n)] ?? forms.other).replace("{n} ", "{n}\u00a0"), { n, ...values });
}

/** An amount: `11 million`. */
export function money(millions) {
  return withMinus(count(words.millions, millions));
}

export function withMinus(text) {
  return text.replace("-", "\u2212");
}

/** An amount that is added: `+3`, `0`, `−1`. */
export function signed(amount) {
  return withMinus(`${amount > 0 ? "+" : ""}${amount}`);
}

export function listOf(parts) {
  return new Intl.ListFormat(locale).format(parts);
}

/** A player's text in the middle of a sentence: nothing in it changes the direction of what stands around. */
export function isolated(text) {
  const said = text.replace(/\p{Bidi_C}/gu, "");
  return /[\u0590-\u08ff\ufb1d-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(said) ? `\u2068${said}\u2069` : said;
}

/** A name in one normal form (NFKC), without what isn't seen of it. */
function lookOf(name) {
  return name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "").replace(/\s+/gu, " ").trim();
}

/** Names that look equal are numbered from 1, and bots called by the first of their names that no person has, as in recaps. */
export function seatNames(seats) {
  const people = seats.map(({ name, bot }) => (bot || name === null ? null : lookOf(name).toLowerCase()));
  const free = words.bots.filter((label) => !people.includes(label.replace(/ .*/, "").toLowerCase()));
  const names = seats.map(({ name, bot, erased, seat }) =>
    bot ? free.shift() : name !== null ? isolated(name) : erased ? fill(words.common.erased_seat, { number: seat + 1 }) : words.common.open_seat);
  const looks = names.map(lookOf);
  return names.map((name, seat) => {
    const like = (some) => some.filter((look) => look === looks[seat]).length;
    return seats[seat].name === null || like(looks) === 1 ? name : `${name} (${like(looks.slice(0, seat + 1))})`;
  });
}

const CHOSEN = "reibach.language";

export function pageAddress(path) {
  const chosen = new URLSearchParams(location.search).get("lang");
  return chosen ? `${path}${path.includes("?") ? "&" : "?"}lang=${encodeURIComponent(chosen)}` : path;
}

/** Keep the language that is chosen by the page's switch, and show pages that came in another one in it. */
function keepLanguage() {
  for (const link of document.querySelectorAll("a[data-language]")) {
    link.addEventListener("click", () => {
      const chosen = new URL(location.href); // as it is now: with the moment of a replay, without a token
      chosen.searchParams.set("lang", link.dataset.language);
      link.href = chosen.href;
      try {
        localStorage.setItem(CHOSEN, link.dataset.language);
      } catch {
        // Without storage the choice holds for this visit.
      }
    });
  }
  let kept = null;
  try {
    kept = localStorage.getItem(CHOSEN);
  } catch {
    return;
  }
  const address = new URL(location.href);
  const isKnown = document.querySelector(`a[data-language="${CSS.escape(kept ?? "")}"]`) !== null;
  if (isKnown && kept !== language && !address.searchParams.has("lang")) {
    address.searchParams.set("lang", kept);
    location.replace(address.href);
  }
}

keepLanguage();
