import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { checkCondition, conditionJudge } from '../../../src/content/site/conditions.ts'
import { Fault } from '../../../src/errors.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'
import { runs } from '../../support/long-run.ts'

for (const source of [
  'visitor.claims.plan === "pro"',
  '!visitor.claims.unsigned.beta',
  'visitor.claims.roles.some(role => role === "admin")',
  'visitor?.claims?.["a-b"]',
  '"\\u0000😀" === "x"',
  'true',
  '[1].some(process => process === 1)',
]) {
  test(`${source} is a valid condition of sections`, () => checkCondition(source, 'visitor'))
  test(`${source} is a valid condition of site spaces`, () =>
    checkCondition(source, 'visitor+space'))
}

for (const source of [
  'space.vars.edition === "x"',
  'space?.vars.edition',
  'space["vars"].edition',
  '(space).vars["a"]',
  '[1].some(space => space) && space.vars.on',
  '{a: {...space.vars}}',
].map(each => (each.startsWith('{') ? `(${each})` : each)))
  test(`${source} is a valid condition of site spaces only`, () => {
    checkCondition(source, 'visitor+space')
    assert.match(refusal(source, 'visitor').message, /A condition cannot read "space" here/)
  })

const refused: [string, number][] = [
  ['', 0],
  ['visitor.claims.', 15],
  ['site.id', 0],
  ['true && process.env', 8],
  ['page.vars.x', 0],
  ['space', 0],
  ['space.id', 0],
  ['visitor.claims.x || space[visitor.claims.x]', 20],
  ['space.vars.x || space.id', 16],
  ['visitor.claims = 1', 0],
  ['while(1){}', 0],
  ['/(a+)+$/', 0],
  ['constructor.constructor("return process")()', 0],
  ['"\0"', 1],
  ['visitor\0', 7],
  ['"\ud800"', 1],
  ['"a\udc00"', 2],
  ['"😀\ud800"', 3],
  ['[[visitor]].some(([process]) => 1)', 18],
]
for (const [source, position] of refused)
  test(`${JSON.stringify(source)} is refused at character ${position + 1}`, () => {
    for (const roots of ['visitor', 'visitor+space'] as const) {
      const { detail, message } = refusal(source, roots)
      // For sections, `space` is unknown wherever it is first read.
      if (roots === 'visitor+space' || !source.includes('space'))
        assert.is(detail?.position, position, message)
      else assert.type(detail?.position, 'number')
    }
  })

test('a condition has at most 1,024 characters', () => {
  checkCondition(`"${'x'.repeat(1_022)}"`, 'visitor')
  assert.match(refusal(`"${'x'.repeat(1_023)}"`, 'visitor').message, /at most 1024 characters/)
})

function refusal(source: string, roots: 'visitor' | 'visitor+space'): Fault {
  try {
    checkCondition(source, roots)
  } catch (error) {
    assert.instance(error, Fault)
    assert.is((error as Fault).kind, 'invalid')
    return error as Fault
  }
  return assert.unreachable('no fault was thrown') as never
}

const claims = { plan: 'pro', roles: ['a', 'b'], unsigned: { beta: true } }

const judged: [string, boolean][] = [
  ['visitor.claims.plan === "pro"', true],
  ['visitor.claims.plan', true],
  ['visitor.claims.plan === "free"', false],
  ['visitor.claims.unsigned.beta', true],
  ['visitor.claims.roles.includes("b")', true],
  ['visitor.claims.gone.deeper', false],
  ['!visitor.claims.gone.deeper', true],
  ['visitor.claims.gone.includes("x")', false],
  ['!visitor.claims.gone.includes("x")', false],
  ['visitor.claims.constructor', false],
  ['not an expression', false],
  ['"x".repeat(1e9)', false],
  ['""', false],
  ['[]', true],
]
for (const [source, expected] of judged)
  test(`${source} is ${expected ? 'met' : 'not met'}`, () =>
    assert.is(conditionJudge({ claims }).isMet(source), expected))

test('no condition is met by every reader', () => {
  const { isMet } = conditionJudge({ claims: { unsigned: {} } })
  assert.ok(isMet(undefined) && isMet(null) && isMet(''))
})

test('the variables of each space apply to its own condition', () => {
  const { isMet } = conditionJudge({ claims })
  const source = 'space.vars.edition === visitor.claims.plan'
  assert.ok(isMet(source, { edition: 'pro' }))
  assert.not(isMet(source, { edition: 'free' }))
  assert.not(isMet(source))
  assert.not(isMet('!space.vars.edition'))
})

/** Conditions that are as expensive as one can be, all different. */
const dearest = (index: number, kind: number): string =>
  [
    `${'[1,2,3].map(a => '.repeat(8)}[${index}]${')'.repeat(8)}`,
    `"${index}".repeat(9e4).split("").toSorted((a, b) => a < b ? 1 : -1).length`,
    `"a${index}".repeat(9e3).replaceAll("a", "bb").toUpperCase() === "x"`,
    `${'1,'.repeat(505)}${index}`,
    `[${'1,'.repeat(40)}1].map(a => [${'1,'.repeat(40)}1].map(b => [${'1,'.repeat(40)}${index}].map(c => a + b + c)))`,
  ][kind]!

test('the most expensive conditions of 100 sections stay cheap together', () => {
  for (let kind = 0; kind < 5; kind++) {
    const ms = leastCpuTime(() => {
      const { isMet } = conditionJudge({ claims })
      for (let index = 0; index < 100; index++) isMet(dearest(index, kind))
    }, 500)
    assert.ok(ms < 500, `kind ${kind}: ${ms} ms`)
  }
})

test('conditions beyond the shared limits are not met', () => {
  const { isMet } = conditionJudge({ claims, limits: { steps: 100, characters: 1_000 } })
  assert.ok(isMet('visitor.claims.plan === "pro"'))
  assert.not(isMet('[1,2,3,4,5,6,7,8,9].map(a => [1,2,3,4,5,6,7,8,9].map(b => a * b)).length > 0'))
  assert.not(isMet('true'))
  assert.ok(isMet('visitor.claims.plan === "pro"'), 'a result that is known costs nothing')
})

test('equal conditions are evaluated once', () => {
  const { isMet } = conditionJudge({ claims, limits: { steps: 20, characters: 100 } })
  for (let run = 0; run < 1_000; run++) assert.ok(isMet('visitor.claims.plan === "pro"'))
})

test('400 ordinary conditions fit into the limits of a request', () => {
  const { isMet } = conditionJudge({ claims })
  for (let index = 0; index < 400; index++)
    assert.ok(
      isMet(
        `visitor.claims.plan === "p${index}" || visitor.claims.unsigned.beta && visitor.claims.roles.some(role => role === "b")`,
      ),
    )
})

test('any text is met or not, and what the check accepts reads only known names', () => {
  const words =
    'visitor space .vars .claims .x ["vars"] ( ) [ ] ! && || ?. === "a" 1 => x , .some(x=> process site {...'.split(
      ' ',
    )
  const soup = fc.array(fc.constantFrom(...words), { maxLength: 20 }).map(picked => picked.join(''))
  fc.assert(
    fc.property(fc.oneof(soup, fc.string(), anyText()), source => {
      assert.type(conditionJudge({ claims }).isMet(source, { x: 1 }), 'boolean')
      try {
        checkCondition(source, 'visitor')
      } catch (error) {
        assert.instance(error, Fault)
        return
      }
      checkCondition(source, 'visitor+space')
    }),
    { numRuns: runs(2000) },
  )
})

test.run()
