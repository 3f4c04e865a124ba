import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { checkLive, type Live, type View } from './check-live.ts'
import { startChromium } from './chromium.ts'
import type { LiveState } from './live-states.ts'
import { type Choice, schemes, type Tally, widths } from './run-options.ts'

/**
 * Returns the views in which a state is opened: all of them, or in a short run one that differs
 * from state to state.
 */
function viewsOf(
  { widths: own = widths }: Pick<LiveState, 'widths'>,
  at: number,
  { chosen, isShort }: Choice,
): View[] {
  const views = own.flatMap(width => schemes.map(scheme => ({ width, scheme })))
  const wanted = isShort ? [views[at % views.length]!] : views
  return wanted.filter(
    ({ width, scheme }) => chosen(String(width), /^\d/) && chosen(scheme, /^(?:light|dark)$/),
  )
}

/** Opens states on a real server, and checks them. `part` begins the names of their pictures. */
export async function runLive<Sites extends Live>(
  { part, sites, states }: { part: string; sites: Sites; states: Record<string, LiveState<Sites>> },
  browser: Browser,
  choice: Choice,
): Promise<Tally> {
  const tally = { states: 0, failed: 0 }
  let large: Browser | undefined
  const entries = Object.entries(states).filter(([name]) => choice.chosen(name, /^[a-z]/))

  for (const [at, [name, state]] of entries.entries())
    for (const view of viewsOf(state, at, choice)) {
      if (state.large) large ??= await startChromium(['--blink-settings=defaultFontSize=32'])
      const title = `${name}-${view.width}-${view.scheme}`
      const problems = await checkLive(
        state.large ? large! : browser,
        sites,
        state,
        view,
        async page => {
          if (choice.folder)
            await page.screenshot({ path: join(choice.folder, `${part}-${title}.png`) })
          if (choice.folder && /^(?:blocks|forced|print|large-blocks|arabic|chinese)/.test(name))
            await page.screenshot({
              path: join(choice.folder, `${part}-${title}-whole.png`),
              fullPage: true,
            })
        },
      ).catch((error: Error) => [error.message.split('\n', 3).join(' ')])

      tally.states++
      if (problems.length > 0) tally.failed++
      for (const problem of problems) console.log(`${title}: ${problem}`)
    }

  await large?.close()

  return tally
}
