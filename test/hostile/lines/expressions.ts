import { importOf } from '../import.ts'
import { type Line, line, must, type Seen } from '../line.ts'
import { file, folder, makeRepository } from '../objects.ts'
import type { Stage } from '../stage.ts'

let made = 0

/** Imports a page and returns it evaluated. */
const evaluated =
  (text: string, vars = 'v: "1"\n') =>
  async (stage: Stage): Promise<Seen> => {
    const name = `expressions-${made++}`
    const repo = makeRepository(stage.folder, name)
    const of = (path: string, content: string) => file(path, repo.blob(content))
    repo.commit(
      repo.tree([folder('.gitbook', repo.tree([of('vars.yaml', vars)])), of('README.md', text)]),
    )
    const done = await importOf(stage, name)
    if (done.status !== 'success') return done

    const page = `/v1/spaces/${done.space}/content/path/readme`
    const seen = await stage.call('GET', `${page}?evaluated=true`)

    must(seen.text.length < 40_000_000, `${seen.text.length} characters came back`)
    await stage.call('DELETE', `/v1/spaces/${done.space}`)

    return { ...seen, text: Buffer.from(seen.text, 'latin1').toString('utf8') }
  }

const code = (expression: string) => `<code class="expression">${expression}</code>`
const escapes = [
  'constructor.constructor("return process")()',
  '"".constructor.constructor("return process")()',
  'this.constructor',
  'new Function("return 1")()',
  'import("fs")',
  'process.exit(1)',
  '({ get x() { return 1 } }).x',
  'space.vars.v = 2',
]

/** Expressions that try to reach internals, or to exhaust time and memory. */
export const expressionLines: Line[] = [
  ...escapes.map(expression =>
    line('J3', expression, 200, '`{{…}}` stands in its place', async stage => {
      const seen = await evaluated(`Shown: ${code(expression)}.\n`)(stage)
      must(/Shown: \{\{.*\}\}\./.test(seen.text), seen.text.slice(0, 300))
      return seen
    }),
  ),
  line(
    'J3',
    '__proto__ and constructor',
    200,
    /"markdown":"\(\)\(\)\(\)\\n"/,
    evaluated(
      `(${code('space.__proto__')})(${code('space.vars.constructor')})(${code('[]["__proto__"]')})\n`,
    ),
  ),
  line(
    'J3',
    '"a".repeat(1e9)',
    200,
    /\{\{\\"a\\"\.repeat\(1e9\)\}\}/,
    evaluated(code('"a".repeat(1e9)')),
  ),
  line(
    'J3',
    'a pattern that takes forever',
    200,
    /\{\{/,
    evaluated(code('/(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")')),
  ),
  line('J3', 'an expression of 1 MB', 200, /1 \+ 1/, evaluated(code(`${'1 + '.repeat(250_000)}1`))),
  line('J3', '1,000 brackets', 200, /\(\(\(/, evaluated(code(`${'('.repeat(1000)}1`))),
  line(
    'J3',
    '100,000 expressions',
    200,
    /"markdown":"1/,
    evaluated(Array.from({ length: 100_000 }, (_, i) => code(`${i} + 1`)).join('\n\n')),
  ),
  line(
    'J3',
    '100,000 expressions that produce 90 KB each',
    200,
    /\{\{/,
    evaluated(code('"0123456789".repeat(9000)').repeat(100_000)),
  ),
  line(
    'J3',
    '100,000 nested conditions',
    200,
    /"markdown":"x/,
    evaluated(`${'{% if true %}\n'.repeat(100_000)}x\n${'{% endif %}\n'.repeat(100_000)}`),
  ),
  line(
    'J3',
    '"{% if " 200,000 times',
    200,
    /"markdown":"\{% if/,
    evaluated('{% if '.repeat(200_000)),
  ),
  line('J3', 'a variable with markup', 200, '`<script>` is text', async stage => {
    const vars = 'v: "<script>alert(1)</script>\\n\\n# [x](javascript:alert(1)) | {% if true %}"\n'
    const seen = await evaluated(`a ${code('space.vars.v')}\n`, vars)(stage)
    must(
      seen.text.includes('&lt;script&gt;') && !seen.text.includes('<script'),
      seen.text.slice(0, 400),
    )
    must(!/\\n#/.test(seen.text) && !/[^\\]\[x\]/.test(seen.text), seen.text.slice(0, 400))
    return seen
  }),
]
