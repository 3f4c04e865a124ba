import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { withForms } from '../../../src/content/search/forms.ts'
import { searchTerms, someTerms } from '../../../src/content/search/words.ts'

const wordsOf = (query: string, language?: string): string[] =>
  searchTerms(query, language).map(({ words }) => words.join(' '))
const formsOf = (query: string, word: string): string[] =>
  withForms(searchTerms(query), query)
    .filter(({ words }) => words.join(' ') === word)
    .flatMap(({ forms = [] }) => forms.map(form => form.join(' ')))

test('words without a meaning of their own are those of one language', () => {
  const table: [query: string, language: string | undefined, words: string[]][] = [
    ['man page', undefined, ['man', 'page']],
    ['man page', 'en-US', ['man', 'page']],
    ['MIT license', undefined, ['MIT', 'license']],
    ['die Seite', undefined, ['die', 'Seite']],
    ['die Seite', 'de', ['Seite']],
    ['wie kann ich eine Seite drucken', undefined, ['Seite', 'drucken']],
    ['how do i print', 'en', ['print']],
    ['how to', 'en', ['how', 'to']],
    ['the man', 'xx', ['the', 'man']],
  ]
  for (const [query, language, words] of table)
    assert.equal(wordsOf(query, language), words, `${query} ${language}`)
})

test('phrases of English are one term, also with a word that has no meaning of its own', () => {
  assert.equal(wordsOf('log in with a token'), ['log in', 'token'])
  assert.equal(wordsOf('turn off the cache'), ['turn off', 'cache'])
  assert.equal(wordsOf('upgrade from version 2'), ['upgrade', 'version 2'])
  assert.equal(wordsOf('log in', 'de'), ['log'])
})

test('synonyms count as forms of words and phrases', () => {
  assert.ok(formsOf('turn off login', 'turn off').includes('disable'))
  assert.ok(formsOf('turn off login', 'turn off').includes('disabled'))
  assert.ok(formsOf('setup of nodes', 'setup').includes('set up'))
  assert.ok(formsOf('setting up nodes', 'setting up').includes('setup'))
  assert.equal(formsOf('upgrade from version 2', 'version 2'), ['v2'])
  assert.not(formsOf('turn left', 'turn').includes('disable'))
})

test('questions in scripts without spaces are left out beside others', () => {
  assert.equal(searchTerms('如何刪除'), searchTerms('刪除'))
  assert.equal(wordsOf('什麼是 window'), ['window'])
  assert.equal(searchTerms('バックアップとは'), searchTerms('バックアップ'))
  assert.equal(wordsOf('如何'), ['如何'])
})

test('a long run without spaces is a term beside each pair of its characters', () => {
  const some = (query: string) => someTerms(searchTerms(query)).map(({ words }) => words.join(' '))
  assert.equal(some('資料表分'), ['資料 料表 表分', '資料', '料表', '表分'])
  assert.equal(some('資料表'), ['資料', '料表'])
  assert.equal(some('foo bar'), ['foo', 'bar'])
})

test.run()
