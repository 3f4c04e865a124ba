import { createHash } from 'node:crypto'
import { type Act, ask } from './ask.ts'

/** How many files of a folder are sent at once. */
const together = 3

/** Returns a file as an import of a folder lists it: its mode and the id of its blob. */
function listed(text: string): string {
  const bytes = Buffer.from(text)
  const oid = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  return `100644 ${oid}`
}

/** Imports files of a folder, each with a token: all of them arrive, or none does. */
export const importFolder: Act = async (desk, client, space) => {
  const tokens = Array.from({ length: together }, () => desk.fresh('tok'))
  const texts = tokens.map((token): [string, string] => [
    `folder-${client}/${token}.md`,
    `# ${token}\n`,
  ])

  for (const token of tokens) space.tokens.set(token, 'no')
  space.folders.push(tokens)
  const body = {
    files: Object.fromEntries(texts.map(([path, text]) => [path, listed(text)])),
    contents: texts.map(([, text]) => Buffer.from(text).toString('base64')),
    message: desk.fresh('Folder'),
    // The files of other imports stay, whatever the content of the space came from.
    keep: true,
    force: true,
  }

  return ask(
    desk,
    space,
    { method: 'POST', path: `/v1/spaces/${space.id}/git/folder`, body, kind: 'folder' },
    ({ body: { revision } }) => {
      for (const token of tokens) space.tokens.set(token, 'yes')
      space.commits.push(revision)
    },
    () => {
      for (const token of tokens) space.tokens.set(token, 'maybe')
    },
  )
}
