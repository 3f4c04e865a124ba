import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import sharp from 'sharp'
import { type ShareOrder, shareCardSource } from '../content/print/share-card.ts'

// Started as a process by lib/child.ts: writes `out.png` into its folder. The compiler can read only that folder and fonts.
const folder = process.cwd()
const { card, fontFolders } = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8')) as ShareOrder
writeFileSync(join(folder, 'card.json'), JSON.stringify(card))
if (card.icon !== undefined) writeFileSync(join(folder, 'icon.svg'), card.icon)
writeFileSync(join(folder, 'main.typ'), shareCardSource)
const compiler = NodeCompiler.create({ workspace: folder, fontArgs: [{ fontPaths: [...fontFolders] }] })
const svg = compiler.plainSvg({ mainFilePath: join(folder, 'main.typ') })
// Glyphs are paths in it: the rasterizer needs no fonts.
const drawn = sharp(Buffer.from(svg), { density: 72 }).resize(1200, 630).flatten()
await drawn.png({ palette: true, quality: 90, effort: 7 }).toFile(join(folder, 'out.png'))
process.stdout.write('{"made":true}\n')
