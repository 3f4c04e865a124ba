import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  compileCheck,
  schemaCheck,
  specVersions,
} from '../../../src/content/openapi/schema-check.ts'

const sound = (version: string) => ({
  ...(version === '2.0' ? { swagger: version } : { openapi: `${version}.0` }),
  info: { title: 'Pets', version: '1' },
  paths: { '/pets': { get: { responses: { 200: { description: 'All pets.' } } } } },
})

const documents = (version: string) => [
  sound(version),
  { ...sound(version), info: { title: 7 } },
  { ...sound(version), paths: { pets: {}, '/pets': { get: { responses: {} } } } },
  { ...sound(version), tags: [{ name: 'a' }, { name: 'a' }], servers: 'none' },
  { ...sound(version), unknown: true },
]

for (const version of specVersions)
  test(`the check of ${version} in the build finds what a check compiled now finds`, () => {
    const { check } = compileCheck(version)
    const built = schemaCheck(version)
    assert.not(built === check)
    const found = documents(version).map(document => [check(document), check.errors])
    assert.equal(
      documents(version).map(document => [built(document), built.errors]),
      found,
    )
    assert.equal(
      found.map(([valid]) => valid),
      [true, false, false, false, false],
    )
  })

test.run()
