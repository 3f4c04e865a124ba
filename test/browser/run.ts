import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromiumPath, startChromium } from './chromium.ts'
import { inspect, openPage } from './inspect.ts'
import { samples } from './samples.ts'
import { serveSamples } from './serve-samples.ts'

/**
 * Opens every sample page of the reading site at three widths in both schemes, checks it, and writes a picture of it to
 * the folder `PICTURES`, if that is set. Arguments narrow the run: `/search 390 dark`.
 */
const wanted = process.argv.slice(2)
const folder = process.env.PICTURES
const widths = [1440, 820, 390]
const schemes = ['light', 'dark'] as const
const chosen = (name: string, kind: RegExp): boolean => {
  const narrowing = wanted.filter(word => kind.test(word))
  return narrowing.length === 0 || narrowing.includes(name)
}

if (!chromiumPath) {
  console.log('skipped: there is no /usr/bin/chromium, and CHROME_PATH is not set')
  process.exit(0)
}
const { url, close } = await serveSamples()
const browser = await startChromium()
let failed = 0
let states = 0
if (folder) mkdirSync(folder, { recursive: true })
for (const width of widths.filter(width => chosen(String(width), /^\d/)))
  for (const scheme of schemes.filter(scheme => chosen(scheme, /^(?:light|dark)$/))) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      reducedMotion: 'reduce',
    })
    for (const path of Object.keys(samples).filter(path => chosen(path, /^\//))) {
      const { page, said } = await openPage(context, url + path)
      const problems = [...(await inspect(page)), ...said]
      states++
      if (problems.length > 0) failed++
      for (const problem of problems) console.log(`${path} ${width} ${scheme}: ${problem}`)
      const name = `${path.slice(1) || 'article'}-${width}-${scheme}`
      if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !!process.env.WHOLE })
      await page.close()
    }
    await context.close()
  }
await browser.close()
await close()
console.log(`${states} states, ${failed} with problems`)
process.exitCode = failed > 0 ? 1 : 0
