import { existsSync } from 'node:fs'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'

/** The machine's Chromium; undefined where there is none. */
export const chromiumPath: string | undefined = [process.env.CHROME_PATH, '/usr/bin/chromium'].find(
  path => path && existsSync(path),
)

const options = (args: readonly string[]) => ({
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

/**
 * Starts the machine's Chromium without a window, with more arguments of its command line. Without
 * them, a test file gets a connection to the browser that the runner shares.
 */
export function startChromium(args: readonly string[] = []): Promise<Browser> {
  const shared = process.env.TEST_BROWSER
  return shared && args.length === 0 ? chromium.connect(shared) : chromium.launch(options(args))
}

/** Starts a Chromium that several processes connect to at its address. */
export const serveChromium = (): Promise<BrowserServer> => chromium.launchServer(options([]))
