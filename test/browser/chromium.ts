import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The machine's Chromium; undefined where there is none. */
export const chromiumPath: string | undefined = [process.env.CHROME_PATH, '/usr/bin/chromium'].find(
  path => path && existsSync(path),
)

/** Starts the machine's Chromium without a window, with more arguments of its command line. */
export function startChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Text looks the same on every machine that has the fonts.
      '--font-render-hinting=none',
      '--disable-lcd-text',
      ...args,
    ],
  })
}
