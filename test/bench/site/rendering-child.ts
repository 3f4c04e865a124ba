import { measureRendering, withContext } from './rendering.ts'

const [dataDir = '', paths = '[]', rounds = '1'] = process.argv.slice(2)
const rendered = await withContext(dataDir, ctx =>
  measureRendering(ctx, JSON.parse(paths), Number(rounds)),
)
process.send?.(rendered)
process.disconnect?.()
