/**
 * The headers of every answer, whatever it holds: browsers guess no types, show it in no frame, run nothing in it, tell no
 * other site where they come from, and share no window with a page that opened it. A page that needs more says so itself.
 */
export const answerHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
}
