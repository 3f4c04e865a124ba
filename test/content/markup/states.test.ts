import MarkdownIt from 'markdown-it'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { usePlainStates } from '../../../src/content/markup/states.ts'

const text =
  '# A *b*\n\n1. [c](d "e") `f`\n   > ![g](h)\n\n| i | j |\n|--|:-:|\n| ~~k~~ | <br> https://example.org |\n\n***l** m*\n\n[n]: o\n[n] \\* &amp;\n'

test('plain tokens and states have the fields of the package, and its results', () => {
  const [usual, plain] = [
    new MarkdownIt({ html: true, linkify: true }),
    new MarkdownIt({ html: true, linkify: true }),
  ]

  usePlainStates(plain)
  const keys = (value: object) => Object.keys(value).sort()
  const states = [usual, plain].map(parser => new parser.inline.State('a', parser, {}, []))

  assert.equal(keys(states[1]!), keys(states[0]!))
  const tokens = states.map(state => state.push('text', '', 0))

  assert.equal(keys(tokens[1]!), keys(tokens[0]!))
  const blocks = [usual, plain].map(parser =>
    new parser.block.State('a', parser, {}, []).push('hr', 'hr', 0),
  )

  assert.equal(keys(blocks[1]!), keys(blocks[0]!))
  assert.is(plain.render(text), usual.render(text))
  assert.equal(JSON.stringify(plain.parse(text, {})), JSON.stringify(usual.parse(text, {})))
})

test.run()
