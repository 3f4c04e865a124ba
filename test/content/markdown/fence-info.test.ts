import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readFenceInfo } from '../../../src/content/markdown/fence-info.ts'
import { anyText } from '../../support/corpus/any-text.ts'
import { runs } from '../../support/long-run.ts'

const plain = { language: '', title: '', numbers: false, lines: '' }

for (const [info, found] of Object.entries({
  '': {},
  sh: { language: 'sh' },
  'c++': { language: 'c++' },
  'js{4}': { language: 'js', lines: '4' },
  'js {1,3-5}': { language: 'js', lines: '1,3-5' },
  '{1,3-5}': { lines: '1,3-5' },
  'sh [npm]': { language: 'sh', title: 'npm' },
  'js:line-numbers {1}': { language: 'js', numbers: true, lines: '1' },
  'js:line-numbers=2': { language: 'js', numbers: true },
  'js:no-line-numbers': { language: 'js' },
  'py title="hello world.py" linenums="1" hl_lines="2 3"': {
    ...{ language: 'py', title: 'hello world.py', numbers: true, lines: '2,3' },
  },
  'title="a.py"': { title: 'a.py' },
  'jsx title="/src/App.js" showLineNumbers {2-4,7}': {
    ...{ language: 'jsx', title: '/src/App.js', numbers: true, lines: '2-4,7' },
  },
  "js title='a' showLineNumbers=5": { language: 'js', title: 'a', numbers: true },
  'js showLineNumbers=false': { language: 'js' },
  'js mark={2} ins={3} frame="none"': { language: 'js', lines: '2' },
  '{.py .annotate title="b.py"}': { language: 'py', title: 'b.py' },
  '{.py linenums="1" hl_lines="1 2-3"}': { language: 'py', numbers: true, lines: '1,2-3' },
  'go {linenos=true,hl_lines=[2,"4-5"]}': { language: 'go', numbers: true, lines: '2,4-5' },
  'java HelloWorld.java': { language: 'java', title: 'HelloWorld.java' },
  'rust,ignore': { language: 'rust' },
  'js live noInline': { language: 'js' },
}))
  test(`the fence "${info}" is read`, () => {
    assert.equal(readFenceInfo(info), { ...plain, ...found })
  })

test('any text is read without an exception, in time linear in its length', () => {
  fc.assert(
    fc.property(anyText(), info => {
      const { title } = readFenceInfo(info)
      assert.ok(title.length <= 2000)
    }),
    { numRuns: runs(400) },
  )
  for (const text of ['{', '[', 'a=', 'title="', '{1', ', '])
    readFenceInfo(`js ${text.repeat(100_000)}`)
})

test.run()
