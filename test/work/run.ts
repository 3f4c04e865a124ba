import { startApp } from '../support/app.ts'
import { steepIn } from './measure.ts'
import { costsOfParser } from './measure-parser.ts'
import { kinds } from './pages.ts'
import { parsers } from './parsers/table.ts'

/**
 * Measures what inputs of growing sizes cost: `npm run test:work`. First every parser that
 * strangers and editors reach, with forged input at its limit of size; then every operation that
 * reads content, on pathological pages. Words narrow both by their names, `--quick` leaves out the
 * pages, and `--bytes N` is the smallest size of a page.
 */
const words = process.argv.slice(2).filter(word => word !== '--quick')
const isQuick = process.argv.includes('--quick')
const at = words.indexOf('--bytes')
const [, given] = at === -1 ? [] : words.splice(at, 2)
const sizes = given ? [Number(given)] : [16_000, 64_000, 200_000]
const isWanted = ({ name }: { name: string }) => words.every(word => name.includes(word))
const app = await startApp({ NODE_ENV: 'production' })
let failed = 0

for (const parser of parsers.filter(isWanted)) {
  const costs = await costsOfParser(app, parser)
  const problems = costs.filter(({ problem }) => problem !== undefined)
  failed += problems.length
  const dearest = Math.max(...costs.map(({ whole }) => whole))

  console.log(
    `${parser.name}, ${parser.most} bytes: ${costs.length} forms, ${problems.length} steep, at most ${dearest.toFixed(0)} ms`,
  )

  for (const { form, quarters, whole, problem } of problems)
    console.log(
      `  ${form}: four quarters ${quarters.toFixed(0)} ms, whole ${whole.toFixed(0)} ms, ${problem}`,
    )
}

for (const kind of isQuick ? [] : kinds.filter(isWanted))
  for (const bytes of sizes) {
    const began = performance.now()
    const steep = await steepIn(app, kind, bytes)
    failed += steep.length
    console.log(
      `${kind.name}, ${bytes} and ${bytes * 4} bytes: ${steep.length} steep, ${Math.round(performance.now() - began)} ms`,
    )

    for (const { asked, ratio, small, large } of steep)
      console.log(
        `  ${asked}: ${small.toFixed(0)} ms and ${large.toFixed(0)} ms, ${ratio.toFixed(1)} times`,
      )
  }
await app.stop()
console.log(
  failed === 0
    ? 'Nothing costs more than in proportion.'
    : `${failed} cost more than in proportion.`,
)
process.exitCode = failed === 0 ? 0 : 1
