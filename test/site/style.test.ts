import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { siteAssets } from '../../src/site/assets/assets.ts'

const { style, travel, callStyle } = await siteAssets()
const css = [style, travel, callStyle]
  .map(({ bytes }) => bytes.toString())
  .join('')
  .replace(/url\(".*?"\)/g, '')

const textOf = (folder: string): string =>
  readdirSync(new URL(`../../src/${folder}`, import.meta.url), { withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ name }) =>
      readFileSync(new URL(`../../src/${folder}/${name}`, import.meta.url), 'utf8'),
    )
    .join('\n')

/** Classes that are put together: levels of headings, widths, colors, kinds of words in code. */
const joined = /^(?:l[1-6]|w[1-9]0|(?:c|bg)-\w+|hljs-[\w-]+)$/

test('the style has no class that nothing writes', () => {
  const source = ['content/html', 'site/views', 'site/client', 'ui/parts', 'ui/client']
    .map(textOf)
    .join('\n')
  const names = new Set([...css.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name!))
  const unknown = [...names].filter(
    name => !joined.test(name) && !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(source),
  )
  assert.equal(unknown, [])
})

test.run()
