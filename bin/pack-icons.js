#!/usr/bin/env node
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { root } from './sources.js'

// Packs the icons of Font Awesome Free into one file, which pages of sites read. Run it after an
// update of the package:
//   node bin/pack-icons.js

const from = join(root, 'node_modules/@fortawesome/fontawesome-free')
const to = join(root, 'src/content/customization/icons/icons.br')
const weights = ['brands', 'regular', 'solid']
const form = /^<svg [^>]*viewBox="([-\d. ]+)"><!--[^>]*--><path [^>]*\bd="([^"<>&]+)"\/><\/svg>\s*$/

/**
 * Returns the icons as text: a comment that names their authors and licence, then a line for each
 * name, sorted by bytes: weight and name, view box, path, separated by tabs. A name that means the
 * same as another one has "=" and that name.
 */
export function packIcons() {
  const { version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  const about = `#Font Awesome Free ${version} by Fonticons, Inc., https://fontawesome.com. Licence of the icons: CC BY 4.0.`
  return [about, ...weights.flatMap(linesOf)].join('\n')
}

function linesOf(weight) {
  const folder = join(from, 'svgs', weight)
  const firstOf = new Map()
  return readdirSync(folder)
    .map(file => `${weight}/${file.replace(/\.svg$/, '')}`)
    .sort()
    .map(name => {
      const icon = form.exec(readFileSync(join(from, 'svgs', `${name}.svg`), 'utf8'))
      if (!icon) throw new Error(`${name} is not an icon of one path`)
      const drawn = `${icon[1]}\t${icon[2]}`
      const first = firstOf.get(drawn) ?? name
      firstOf.set(drawn, first)
      return first === name ? `${name}\t${drawn}` : `${name}\t=${first}`
    })
}

if (process.argv[1] === import.meta.filename) {
  const text = Buffer.from(packIcons())
  const packed = brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
  })
  writeFileSync(to, packed)
  console.log(`${to}: ${packed.length} bytes, ${text.length} unpacked`)
}
