import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  findTags,
  quotedArgument,
  tagAttribute,
  tagAttributes,
  tagReader,
} from '../../../src/content/markdown/tags.ts'
import { leastCpuTime } from '../../support/cpu-time.ts'

const sources = (text: string) => findTags(text).map(({ start, end }) => text.slice(start, end))
const attributes = (text: string) =>
  tagAttributes(text, findTags(text)[0]!).map(({ name, value }) => [name, value])

test('tags are found with their names, and end tags by the tag they close', () => {
  const text =
    'a {% hint style="info" %} b {%endhint%} {%- @figma/embed -%} {% openapi-operation spec="x" %}'
  assert.equal(
    findTags(text).map(({ name, closes }) => [name, closes]),
    [
      ['hint', false],
      ['hint', true],
      ['@figma/embed', false],
      ['openapi-operation', false],
    ],
  )
  assert.equal(sources(text)[2], '{%- @figma/embed -%}')
})

test('a tag may contain percent signs, braces and line endings, but neither another tag nor a blank line', () => {
  for (const tag of [
    '{% tab title="50% off {x}" %}',
    '{% if a %2 == 1 %}',
    '{% hint\r\nstyle="info"\r\n%}',
  ])
    assert.equal(sources(`x ${tag} y`), [tag])

  for (const text of ['{% a\n\nb %}', '{% a', '{% 5 %}', '{%%}', '{%}', '{% "a" %}'])
    assert.equal(sources(text), [])
  assert.equal(sources('{% a {% b %} %}'), ['{% b %}'])
})

test('attributes are read with double, single and no quotes, and with their offsets', () => {
  const text = `{% code title="a &amp; b" Overflow='wrap' lineNumbers=true fullWidth  x = "y" -%}`
  assert.equal(attributes(text), [
    ['title', 'a & b'],
    ['overflow', 'wrap'],
    ['linenumbers', 'true'],
    ['fullwidth', ''],
    ['x', 'y'],
  ])
  const { raw } = tagAttribute(text, findTags(text)[0]!, 'overflow')!
  assert.is(text.slice(raw.start, raw.end), 'wrap')
  const written = tagAttribute(text, findTags(text)[0]!, 'title')!.raw

  assert.is(text.slice(written.start, written.end), 'a &amp; b')
})

test('an include has an argument without a name', () => {
  for (const text of ['{% include "../a.md" %}', "{%- include '../a.md' -%}"]) {
    const { value, raw } = quotedArgument(text, findTags(text)[0]!)!
    assert.is(value, '../a.md')
    assert.is(text.slice(raw.start, raw.end), '../a.md')
  }
  assert.is(quotedArgument('{% include x %}', findTags('{% include x %}')[0]!), undefined)
})

test('a reader returns the tag at an offset', () => {
  const read = tagReader('x {% a %} {% b %}')
  assert.is(read(0), undefined)
  assert.is(read(2)?.name, 'a')
  assert.is(read(10)?.name, 'b')
})

test('tags are found in linear time', () => {
  for (const part of ['{% a ', '{% a="', '{%', '%}{% ', '{% a\n', '{% a b=" %}']) {
    const text = `${part.repeat(200_000)}%}`
    const ms = leastCpuTime(() => {
      for (const tag of findTags(text)) tagAttributes(text, tag)
    }, 5_000)
    assert.ok(ms < 5_000, part)
  }
})

test.run()
