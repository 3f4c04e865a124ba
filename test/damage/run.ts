import { stemma } from '../cli/stemma.ts'
import { readOptions } from '../support/read-options.ts'
import { openSite, playDrill } from './drill.ts'

/**
 * After this many drills a new original is created, because checking the copies takes longer each
 * time.
 */
const roundsOfSite = 4

/** Runs backup drills one after another while writers work on the original. */
const usage = `npm run test:backup -- [--rounds 20]

  --rounds  the number of backups to make and restore`

const args = readOptions(usage, { rounds: { type: 'string', default: '20' } })
const rounds = Number(args.rounds)
// The server of a drill ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
let failed = 0
let kept = 0
for (let round = 1; round <= rounds; ) {
  const site = await openSite()
  for (const last = round + roundsOfSite; round < last && round <= rounds; round++) {
    await new Promise(resolve => setTimeout(resolve, Math.random() * 1500))
    const { writes, held, wrong } = await playDrill(site, `round-${round}`, stemma)
    console.log(`round ${round}: ${held} of ${writes} writes are in the copy`)
    for (const line of wrong.slice(0, 10)) console.log(`FAIL ${line}`)
    if (wrong.length > 0) failed++
    kept += held
  }

  await site.close()
}
if (kept === 0) {
  console.log('FAIL no copy held a write: there was nothing to check')
  failed = Math.max(failed, 1)
}
console.log(`${Math.max(0, rounds - failed)} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
