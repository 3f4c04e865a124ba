import { exec } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '../support/app.ts'
import { fetchCorpus, largeCorpora } from '../support/corpus/corpora.ts'
import { makeSpace } from '../support/corpus/corpus.ts'
import { publishedSite } from '../support/sites.ts'
import { chromiumPath } from './chromium.ts'
import { startLiveSites } from './live-site.ts'

/** A server with the page that Lighthouse opens. */
type Opened = { page: string; stop: () => Promise<void> }

/** Publishes the manual. */
async function openManual(): Promise<Opened> {
  const { app, manual } = await startLiveSites()
  return { page: `${manual}writing/search-and-links`, stop: app.stop }
}

/**
 * Publishes a large handbook, and returns a page of middle length; undefined on machines without
 * it.
 */
async function openHandbook(): Promise<Opened | undefined> {
  const corpus = largeCorpora().find(({ name }) => name === 'fluentd')
  if (!corpus) return undefined
  const app = await startApp()
  const made = await makeSpace(app)

  fetchCorpus(made, corpus)
  const site = await publishedSite(app, [made.space.id], { visibility: 'public' })

  return {
    page: `${app.url}/sites/acme/${site.basename}/deployment/trouble-shooting`,
    stop: app.stop,
  }
}

/** Runs Lighthouse, which npm fetches, on a page: every category must have 100 points. */
const folder = mkdtempSync(join(tmpdir(), 'stemma-lighthouse-'))
const report = join(folder, 'report.json')
const { page, stop } = (await openHandbook()) ?? (await openManual())
const flags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
const command = `npm exec --yes --package lighthouse@12.8.2 -- lighthouse ${page} --quiet --output=json --output-path=${report} --chrome-flags="${flags}"`
await new Promise<void>((resolve, reject) => {
  const child = exec(command, { env: { ...process.env, CHROME_PATH: chromiumPath } }, error =>
    error ? reject(error) : resolve(),
  )
  child.stderr?.pipe(process.stderr)
})
console.log(page)
const { categories, audits } = JSON.parse(readFileSync(report, 'utf8'))
const points: [string, number][] = Object.values(
  categories as Record<string, { title: string; score: number }>,
).map(({ title, score }) => [title, Math.round(score * 100)])
for (const [title, score] of points) console.log(`${title}: ${score}`)
for (const name of [
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
  'total-byte-weight',
  'dom-size',
])
  console.log(`${audits[name].title}: ${audits[name].displayValue}`)
for (const { auditRefs } of Object.values(
  categories as Record<string, { auditRefs: { id: string; weight: number }[] }>,
))
  for (const { id, weight } of auditRefs)
    if (weight > 0 && audits[id].score !== null && audits[id].score < 0.9)
      console.log(`lost: ${id} ${audits[id].displayValue ?? ''}`)
rmSync(folder, { recursive: true, force: true })
await stop()
process.exit(points.every(([, score]) => score === 100) ? 0 : 1)
