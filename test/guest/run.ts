import { readOptions } from '../support/read-options.ts'
import { playGuest } from './play.ts'

const usage = `npm run test:guest -- [--runs 500] [--seed N]

  Plays random sequences of calls of a guest who may edit one space, and fails when an answer to the guest shows a word of
  a private OpenAPI description or of another space.

  --runs  how many sequences
  --seed  the same sequences again`

const { runs, seed } = readOptions(usage, {
  runs: { type: 'string', default: '500' },
  seed: { type: 'string' },
})
const answers = await playGuest({ runs: Number(runs), ...(seed && { seed: Number(seed) }) })
console.log(`${runs} sequences, ${answers} answers: none shows what the guest may not see`)
