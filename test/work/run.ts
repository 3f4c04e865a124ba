import { startApp } from '../support/app.ts'
import { steepIn } from './measure.ts'
import { kinds } from './pages.ts'

/**
 * Measures what every operation that reads content costs on pathological pages of growing sizes: `npm run test:work`,
 * with words of the kinds to narrow it, and `--bytes N` for the smallest size.
 */
const words = process.argv.slice(2)
const at = words.indexOf('--bytes')
const [, given] = at === -1 ? [] : words.splice(at, 2)
const sizes = given ? [Number(given)] : [16_000, 64_000, 200_000]
const app = await startApp({ NODE_ENV: 'production' })
let failed = 0
for (const kind of kinds.filter(({ name }) => words.every(word => name.includes(word))))
  for (const bytes of sizes) {
    const began = performance.now()
    const steep = await steepIn(app, kind, bytes)
    failed += steep.length
    console.log(
      `${kind.name}, ${bytes} and ${bytes * 4} bytes: ${steep.length} steep, ${Math.round(performance.now() - began)} ms`,
    )
    for (const { asked, ratio, small, large } of steep)
      console.log(`  ${asked}: ${small.toFixed(0)} ms and ${large.toFixed(0)} ms, ${ratio.toFixed(1)} times`)
  }
await app.stop()
console.log(
  failed === 0 ? 'Nothing costs more than in proportion.' : `${failed} cost more than in proportion.`,
)
process.exitCode = failed === 0 ? 0 : 1
