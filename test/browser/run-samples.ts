import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { inspect, openPage } from './inspect.ts'
import { type Choice, schemes, type Tally, widths } from './run-options.ts'
import { samples } from './samples.ts'
import { serveSamples } from './serve-samples.ts'

/** Opens the sample pages, with parts that no real site has at once, and checks them. */
export async function runSamples(
  browser: Browser,
  { chosen, folder, isShort }: Choice,
): Promise<Tally> {
  const { url, close } = await serveSamples()
  const tally = { states: 0, failed: 0 }
  const paths = Object.keys(samples).filter(path => chosen(path, /^\//))
  const views = widths.flatMap(width => schemes.map(scheme => `${width} ${scheme}`))

  for (const width of widths.filter(width => chosen(String(width), /^\d/)))
    for (const scheme of schemes.filter(scheme => chosen(scheme, /^(?:light|dark)$/))) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: scheme,
        reducedMotion: 'reduce',
      })

      for (const path of paths.filter(
        (_, at) => !isShort || views[at % views.length] === `${width} ${scheme}`,
      )) {
        const { page, said } = await openPage(context, url + path)
        const problems = [...(await inspect(page)), ...said]
        tally.states++
        if (problems.length > 0) tally.failed++
        for (const problem of problems) console.log(`${path} ${width} ${scheme}: ${problem}`)
        const name = `${path.slice(1) || 'article'}-${width}-${scheme}`

        if (folder)
          await page.screenshot({
            path: join(folder, `${name}.png`),
            fullPage: !!process.env.WHOLE,
          })

        await page.close()
      }

      await context.close()
    }

  await close()

  return tally
}
