import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { siteAssets } from '../../src/site/assets/assets.ts'
import { renderHits, renderNav, renderPage } from '../../src/site/views/render.tsx'
import { inlineScript } from '../../src/ui/frame/inline-script.ts'
import { fill, surfaceLanguages, wordsOf } from '../../src/ui/words/all.ts'
import { sampleArticle, sampleFrame, sampleNav, sampleSearch, samples } from '../browser/samples.ts'

const assets = await siteAssets()
const frame = sampleFrame(assets)

test('style and script stay within their budgets', () => {
  assert.ok(
    assets.style.brotli.length <= 8 * 1024,
    `the style has ${assets.style.brotli.length} bytes`,
  )

  assert.ok(
    assets.script.brotli.length <= 6 * 1024,
    `the script has ${assets.script.brotli.length} bytes`,
  )
  assert.match(assets.style.name, /^site\.[0-9a-f]{12}\.css$/)
  assert.match(assets.rules.name, /^rules\.[0-9a-f]{12}\.json$/)
})

test('the frame of a page is small', () => {
  const html = renderPage(frame, { ...sampleArticle, html: '' })
  const elements = html.match(/<[a-z]/g)!.length
  assert.ok(elements <= 350, `${elements} elements`)
})

test('every sample has one h1, and neither style attributes nor inline handlers', () => {
  for (const [path, sample] of Object.entries(samples)) {
    const html = renderPage(sampleFrame(assets, sample.frame), sample.page)
    assert.ok(html.startsWith('<!doctype html><html lang='), path)
    assert.is(html.match(/<h1[ >]/g)?.length, 1, path)
    assert.not.match(html, /<[^>]* (?:style|on\w+)=/, path)
    const inline = [...html.matchAll(/<script(?![^>]*(?:src|ld\+json))[^>]*>(.*?)<\/script>/g)]

    assert.equal(
      inline.map(([, text]) => text),
      [inlineScript],
      path,
    )
  }
})

test('texts of the model cannot add markup', () => {
  const bad = '</script><script>alert(1)</script>"\'<b onclick=x>'
  const html = renderPage(
    { ...frame, title: bad, header: [{ title: bad, href: bad, style: 'link', links: [] }] },
    {
      ...sampleArticle,
      title: bad,
      html: '',
      head: {
        ...sampleArticle.head,
        title: bad,
        description: bad,
        crumbs: [{ title: bad, href: bad }],
      },
      nav: [{ ...sampleNav[0]!, title: bad, href: bad }],
      headings: [{ id: bad, level: 2, text: bad }],
    },
  )

  assert.not.match(html, /<script>alert|<b onclick/)
})

test('an icon that is not an SVG of the program is left out', () => {
  const html = renderNav(frame, [{ ...sampleNav[0]!, emoji: undefined, icon: '<img src=x>' }])
  assert.not.match(html, /img/)
})

test('the list of an opened entry has its pages and the addresses of shut branches', () => {
  const html = renderNav(frame, sampleNav)
  assert.match(html, /^<ul class="plain"><li>/)
  assert.match(html, /aria-expanded="false" data-fragment="\/fragment\/overview"/)
  assert.match(html, /aria-current="page"/)
})

test('results for the dialog are options with their count, and a suggestion where nothing was found', () => {
  const html = renderHits(frame, sampleSearch('logs'))
  assert.is(html.match(/role="option"/g)?.length, 3)
  assert.match(html, /<mark>logs<\/mark>/)
  assert.match(html, /3\+ results/)
  assert.match(
    renderHits(frame, sampleSearch('sytemd')),
    /Nothing for “sytemd”\. Did you mean <a href="\/search\?q=systemd">/,
  )
  assert.not.match(renderHits(frame, sampleSearch('nothing')), /listbox/)
})

test('every language has the words of English, with the same placeholders', () => {
  const placeholders = (words: string) =>
    [...words.matchAll(/\{\w+\}/g)].map(([name]) => name).sort()
  const { words: en } = wordsOf('en')

  for (const [language, words] of Object.entries(surfaceLanguages)) {
    assert.equal(Object.keys(words), Object.keys(en), language)
    for (const [key, value] of Object.entries(words))
      assert.equal(
        placeholders(value),
        placeholders(en[key as keyof typeof en]),
        `${language} ${key}`,
      )
  }
})

test('a locale without words of its own has the nearest language, and its own direction', () => {
  assert.is(wordsOf('fr-CA').words.next, 'Suivant')
  assert.is(wordsOf('pt').lang, 'pt-BR')
  assert.is(wordsOf('ar').words.next, 'Next')
  assert.is(wordsOf('constructor').lang, 'en')
  assert.is(fill('{a} and {b}', { a: 1 }), '1 and {b}')
})

test.run()
