import { readOptions } from '../support/read-options.ts'
import { checkRights } from './check.ts'

const usage = `npm run test:rights -- [--runs N] [--seed N]

  --runs  the number of random stories, 500 by default
  --seed  repeats the stories of a run`

const values = readOptions(usage, { runs: { type: 'string' }, seed: { type: 'string' } })
const runs = Number(values.runs ?? 500)
const done = await checkRights(runs, values.seed === undefined ? undefined : Number(values.seed))
console.log(`${runs} stories, ${done} calls with an effect: no user got more rights than allowed`)
// A server of PostgreSQL ends with this process.
process.exit()
