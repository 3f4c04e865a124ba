import { readOptions } from '../support/read-options.ts'
import { playGuest } from './play.ts'

const usage = `npm run test:guest -- [--runs 500] [--seed N]

  Plays random sequences of calls by a guest who may edit one space. Fails if a response to the guest shows a word of a
  private OpenAPI spec or of another space.

  --runs  the number of sequences
  --seed  repeats the sequences of a run`

const { runs, seed } = readOptions(usage, {
  runs: { type: 'string', default: '500' },
  seed: { type: 'string' },
})
const answers = await playGuest({ runs: Number(runs), ...(seed && { seed: Number(seed) }) })
console.log(`${runs} sequences, ${answers} responses: none shows what the guest may not see`)
