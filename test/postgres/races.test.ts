import * as assert from 'uvu/assert'
import { type Random, randomFrom } from '../crash/random.ts'
import { interleave, type Outcome } from './race/interleave.ts'
import { type Nodes, openRaceBench, type RaceBench } from './race/nodes.ts'
import { peopleRules } from './race/people-rules.ts'
import { placeRules } from './race/place-rules.ts'
import type { Rule } from './race/rule.ts'
import { postgresSuite } from './suite.ts'

let bench: RaceBench
let nodes: Nodes
let control: Nodes
const test = postgresSuite(
  'races of two nodes',
  async () => {
    bench = await openRaceBench()
    nodes = await bench.open('serializable')
    control = await bench.open('read committed')
  },
  () => bench?.stop(),
)

const rounds = 12
/** A rule without its isolation breaks within this number of rounds, which ends at the first. */
const mostRounds = 120

/**
 * Runs both transactions of a rule, one inside the other: which one, and where, follows from the
 * seed. Returns their outcomes, and how the rule is broken.
 */
async function round(on: Nodes, rule: Rule, id: string, random: Random) {
  const { works, broken } = await rule.prepare(on, id)
  const first = random.chance(0.5) ? 0 : 1
  const outcomes = interleave(on[first], {
    outer: works[first],
    inner: works[1 - first] as () => unknown,
    at: random.below(36),
    contended: rule.contended,
  })
  return { outcomes, broken: broken() }
}

const isDone = (outcome: Outcome): boolean => outcome === 'done'

for (const [number, rule] of [...peopleRules, ...placeRules].entries()) {
  const idOf = (round: number) => `n${number}r${round}`

  test(rule.name, async () => {
    const random = randomFrom(number)
    for (let at = 0; at < rounds; at++) {
      const { outcomes, broken } = await round(nodes, rule, idOf(at), random)
      const done = outcomes.filter(isDone).length
      assert.is(broken, undefined, `round ${at}: ${outcomes}`)
      assert.ok(rule.done === 'one' ? done === 1 : done >= 1, `round ${at}: ${outcomes}`)
    }
  })

  if (rule.keptBy === 'isolation')
    test(`control, READ COMMITTED: it breaks that ${rule.name}`, async () => {
      const random = randomFrom(number)
      for (let at = 0; at < mostRounds; at++)
        if ((await round(control, rule, idOf(at), random)).broken !== undefined) return
      assert.unreachable('the rule needs no isolation: these races do not test it')
    })
}

test.run()
