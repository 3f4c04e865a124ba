import { mkdirSync } from 'node:fs'
import { chromiumPath, startChromium } from './chromium.ts'
import { comparePictures } from './compare.ts'
import { writeContactSheet } from './contact-sheet.ts'
import { startLiveSites } from './live-site.ts'
import { liveStates } from './live-states.ts'
import { runLive } from './run-live.ts'
import { parts, readChoice, type Tally } from './run-options.ts'
import { runSamples } from './run-samples.ts'
import { takeScreenshots } from './screenshots.ts'
import { startDesk } from './workbench/desk.ts'
import { deskStates } from './workbench/states.ts'

/**
 * Opens pages at three widths in both schemes and checks them: states of real sites (`live`), of the
 * workbench (`workbench`), and samples (`samples`). Arguments narrow the run: `live blocks 390 dark`,
 * `samples /search`. `--short` opens every state once. Whole runs also compare key states with kept
 * pictures; `--update` keeps new ones, and `--screenshots` writes those of the README.
 */
const args = process.argv.slice(2)
const choice = readChoice(args)
const wants = (part: string): boolean =>
  args.includes(part) || !parts.some(each => args.includes(each))

if (!chromiumPath) {
  console.log('skipped: there is no /usr/bin/chromium, and CHROME_PATH is not set')
  process.exit(0)
}
if (choice.folder) mkdirSync(choice.folder, { recursive: true })
const browser = await startChromium()
const tallies: Tally[] = []
if (wants('live')) {
  const sites = await startLiveSites()
  const isUpdate = args.includes('--update')
  if (args.includes('--screenshots')) await takeScreenshots(browser, sites)
  else {
    if (!isUpdate)
      tallies.push(await runLive({ part: 'live', sites, states: liveStates }, browser, choice))
    if (!choice.isNarrow)
      tallies.push(await comparePictures(browser, sites, { ...choice, isUpdate }))
  }

  await sites.app.stop()
}
if (wants('workbench') && !args.includes('--update') && !args.includes('--screenshots')) {
  const sites = await startDesk()
  tallies.push(await runLive({ part: 'workbench', sites, states: deskStates }, browser, choice))
  await sites.app.stop()
}
if (wants('samples') && !args.includes('--update') && !args.includes('--screenshots'))
  tallies.push(await runSamples(browser, choice))
await browser.close()
if (choice.folder) writeContactSheet(choice.folder)
const sum = (pick: (tally: Tally) => number) => tallies.reduce((all, tally) => all + pick(tally), 0)
const failed = sum(tally => tally.failed)
console.log(`${sum(tally => tally.states)} states, ${failed} with problems`)
process.exit(failed > 0 ? 1 : 0)
