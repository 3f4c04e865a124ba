type Rule = readonly [pattern: RegExp, name: string]

/** Browsers say that they are those before them, so the first match decides. */
const browsers: readonly Rule[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly Rule[] = [
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

const longest = 40

/** Returns a browser in a few words, from its User-Agent: "Firefox on Linux". */
export function describeAgent(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser'
  const nameIn = (rules: readonly Rule[]) => rules.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = nameIn(browsers) ?? [...userAgent].slice(0, longest).join('')
  const system = nameIn(systems)
  return system === undefined ? browser : `${browser} on ${system}`
}
