import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { headingAnchor, linksToItself } from '../../../src/content/markdown/anchor.ts'

const read = (text: string) => {
  const found = headingAnchor(text, { start: 0, end: text.length })
  return found && [text.slice(0, found.start), found.id]
}

test('the anchor behind the words of a heading is found, with the spaces before it', () => {
  assert.equal(read('One <a href="#x" id="x"></a>'), ['One', 'x'])
  assert.equal(read("One\t <a id='x'> </a> "), ['One', 'x'])
  assert.equal(read('One<a name=x></a>'), ['One', 'x'])
  assert.equal(read('One <a id="caf&eacute;"></a>'), ['One', 'café'])
  assert.equal(read('<a id="x"></a>'), ['', 'x'])
  assert.equal(read('One <a href="y.md"></a>'), ['One', undefined])
})

test('other HTML at the end of a heading is not an anchor', () => {
  for (const text of [
    'One',
    'One <a id="x">y</a>',
    '<a id="x"></a> One',
    'One <abbr id="x"></abbr>',
    'One <a id="x">',
  ])
    assert.is(read(text), undefined, text)
})

test('an anchor that links to itself is told from a link', () => {
  assert.ok(linksToItself('<a href="#x" id="x">'))
  assert.ok(linksToItself("<a id='x' href='#x'>"))
  for (const tag of ['<a href="#x">', '<a href="#y" id="x">', '<a id="x">', '<b id="x" href="#x">'])
    assert.not(linksToItself(tag), tag)
})

test.run()
