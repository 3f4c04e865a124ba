import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'

const scope = pageScope({ name: 'Acme' }, {})
const preview = (markdown: string) => evaluateMarkdown(markdown, scope, 'preview')
const reader = (markdown: string) => evaluateMarkdown(markdown, scope, 'reader')

const beta = '{% if visitor.claims.beta %}'

test('a block that readers do not see is shown between two sentences', () => {
  const source = `Before.\n\n${beta}\nHidden.\n{% endif %}\n\nAfter.\n`
  assert.is(
    preview(source),
    'Before.\n\n\n*Shown only if* `visitor.claims.beta`*:*\n\nHidden.\n\n*End of what is shown only under this condition.*\n\n\nAfter.\n',
  )
  assert.is(reader(source), 'Before.\n\nAfter.\n')
})

test('a text that holds, and one in a line, read as they are written', () => {
  assert.is(preview('{% if true %}\nShown.\n{% endif %}\n'), 'Shown.\n')
  assert.is(
    preview(`One ${beta}two{% endif %} three.`),
    'One \\[*shown only if* `visitor.claims.beta`*:* two\\] three.',
  )
})

test('the sentences stay in the list item, and the condition is only text', () => {
  assert.is(
    preview(`* Item\n\n  ${beta}\n  Hidden.\n  {% endif %}\n`),
    '* Item\n\n  \n  *Shown only if* `visitor.claims.beta`*:*\n\n  Hidden.\n  \n  *End of what is shown only under this condition.*\n\n',
  )
  assert.match(preview('a {% if visitor.claims.x == "`<b>``" %}b{% endif %}'), '``` ')
  assert.match(
    preview('<div>{% if visitor.claims.x == "<b>" %}b{% endif %}</div>'),
    '[Shown only if visitor.claims.x == &quot;&lt;b&gt;&quot;: b]',
  )
})

test('expressions in it are evaluated, also in a condition in a condition', () => {
  const code = '<code class="expression">space.vars.name</code>'
  const text = preview(`${beta}\n${code}\n\n{% if false %}\nDeep.\n{% endif %}\n{% endif %}\n`)
  assert.match(text, 'Acme')
  assert.match(text, '*Shown only if* `false`')
  assert.is(text.match(/End of what/g)?.length, 2)
})

test('a tag without its partner stays as it is', () => {
  assert.is(preview(`${beta}\nText.\n`), `${beta}\nText.\n`)
  assert.is(preview('Text.\n\n{% endif %}\n'), 'Text.\n\n{% endif %}\n')
})

test.run()
