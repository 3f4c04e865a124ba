import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

type Locked = {
  version: string
  integrity?: string
  hasInstallScript?: boolean
  license?: string
  dev?: boolean
  optional?: boolean
}

const lockOf = (folder: string): [string, Locked][] =>
  Object.entries(JSON.parse(readFileSync(`${folder}package-lock.json`, 'utf8')).packages)
const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  allowScripts: Record<string, boolean>
}

const nameOf = (path: string) =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const locked = [...lockOf(''), ...lockOf('printing/')].filter(([path]) => path !== '')

/**
 * Builds for other platforms that had no digest in the registry when the lock file was made. Remove
 * a line once `npm install` on that platform, or a newer lock file, adds the digest.
 */
const withoutDigest =
  /^@(?:biomejs\/cli|myriaddreamin\/typst-ts-node-compiler)-(?:android|darwin|win32|linux-arm|linux-x64-musl)/

test('every package of the lock file has a digest, except the listed builds for other platforms', () => {
  const bare = locked.filter(([, { integrity }]) => !integrity).map(([path]) => nameOf(path))
  assert.equal(
    bare.filter(name => !withoutDigest.test(name)),
    [],
  )
})

test('digests are SHA-512', () => {
  for (const [path, { integrity }] of locked)
    if (integrity) assert.match(integrity, /^sha512-[\w+/]{86}==$/, path)
})

test('every install script is explicitly allowed or refused', () => {
  const scripts = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => nameOf(path))
  for (const name of scripts)
    assert.ok(Object.hasOwn(allowScripts, name) || name === 'fsevents', name)
})

/**
 * Packages with other licences, for development alone: nothing of axe is shipped, the icons name
 * their licence, and DOMPurify may be used under that of Apache.
 */
const otherLicences: Readonly<Record<string, string>> = {
  'axe-core': 'MPL-2.0',
  dompurify: '(MPL-2.0 OR Apache-2.0)',
  '@fortawesome/fontawesome-free': '(CC-BY-4.0 AND OFL-1.1 AND MIT)',
}

/**
 * The library of the optional package sharp, which loads it as a shared library. Nothing needs it,
 * and nothing ships it.
 */
const sharedLibrary = /^@img\/sharp-(?:libvips-|win32-|wasm32)/

/** Packages whose `package.json` has no name of SPDX for their licence: that of duck has two clauses. */
const unnamedLicences: Readonly<Record<string, string>> = { duck: 'BSD' }

test('every package has an allowed licence', () => {
  const allowed =
    /^\(?(?:MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0|CC0-1\.0|Python-2\.0|PSF-2\.0|Unlicense|WTFPL|OFL-1\.1)\b/
  for (const [path, { license, dev, optional }] of locked) {
    if (license === undefined || unnamedLicences[nameOf(path)] === license) continue
    if (dev === true && otherLicences[nameOf(path)] === license) continue
    if (
      optional === true &&
      sharedLibrary.test(nameOf(path)) &&
      license.includes('LGPL-3.0-or-later')
    )
      continue
    assert.match(license, allowed, `${path}: ${license}`)
  }
})

test.run()
