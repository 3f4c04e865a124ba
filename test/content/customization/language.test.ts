import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { languages } from '../../../src/api/spaces/schema.ts'
import { pageLanguage, surfaceLocale } from '../../../src/content/customization/language.ts'
import { locales } from '../../../src/content/customization/schema.ts'
import { plainSettings } from './settings.ts'

const inLocale = (locale: (typeof locales)[number]) => ({
  ...plainSettings(),
  internationalization: { locale },
})

test('the words around the texts are in the language of the space', () => {
  assert.is(surfaceLocale(inLocale('en'), 'de'), 'de')
  assert.is(surfaceLocale(inLocale('de'), 'en'), 'en')
  assert.is(surfaceLocale(inLocale('en'), 'pt-br'), 'pt-br')
  assert.is(surfaceLocale(inLocale('en'), 'PT-BR'), 'pt-br')
  assert.is(surfaceLocale(inLocale('en'), 'pt'), 'pt-br')
  assert.is(surfaceLocale(inLocale('en'), 'yue'), 'zh')
  assert.is(surfaceLocale(inLocale('en'), 'de-at'), 'de')
})

test('the locale of the settings serves a space without a language, or with one that has no words', () => {
  assert.is(surfaceLocale(inLocale('fr'), null), 'fr')
  assert.is(surfaceLocale(inLocale('fr'), 'pl'), 'fr')
  assert.is(surfaceLocale(inLocale('fr'), ''), 'fr')
})

test('every language of spaces has a locale', () => {
  for (const language of languages)
    assert.ok(locales.includes(surfaceLocale(inLocale('en'), language)))
})

test('a page has the language of its space, and the direction of its script', () => {
  assert.equal(pageLanguage(inLocale('en'), 'ar'), { lang: 'ar', dir: 'rtl' })
  assert.equal(pageLanguage(inLocale('en'), 'he'), { lang: 'he', dir: 'rtl' })
  assert.equal(pageLanguage(inLocale('en'), 'pt-br'), { lang: 'pt-BR', dir: 'ltr' })
  assert.equal(pageLanguage(inLocale('pt-br'), null), { lang: 'pt-BR', dir: 'ltr' })
  for (const language of languages)
    assert.is(Intl.getCanonicalLocales(pageLanguage(inLocale('en'), language).lang).length, 1)
})

test.run()
