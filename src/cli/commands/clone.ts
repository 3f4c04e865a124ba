import type { Command } from 'commander'
import { readServer, readToken, sendRequest } from '../api/call-api.ts'
import { gitClone } from '../clone/git-clone.ts'
import { exitUsage, Failure } from '../output/failure.ts'
import { newCommand } from './new-command.ts'

/** Defines `stemma clone`: a space as a clone on this machine, over HTTP. */
export const cloneCommand = (): Command =>
  newCommand(
    'clone',
    'Clone a space with git; the clone gets its token from this program',
    'stemma clone 8GSDWkS3FDMzmzfY7mDC handbook',
  )
    .argument('<space>', 'the id of the space, or the address of its repository')
    .argument('[folder]', 'a new or empty folder; by default it is named after the space')
    .action(clone)

async function clone(given: string, folder: string | undefined): Promise<void> {
  const { server, id } = placeOf(given)
  const token = readToken(server)
  const { body } = await sendRequest({ base: server, token }, 'GET', `/v1/spaces/${id}`)
  const { title } = body as { title: string }
  const code = await gitClone(server, `${server}/${id}.git`, folder ?? folderFor(title, id)).catch(
    () => {
      throw new Failure('git cannot be started. Install it, and run the command again.')
    },
  )

  // Git has already said why.
  if (code !== 0) throw new Failure('')
}

/** Returns the server and the space that an id or an address names. */
function placeOf(given: string): { server: string; id: string } {
  if (/^[0-9A-Za-z]{1,40}$/.test(given)) return { server: readServer(), id: given }
  const [, server, id] =
    /^(https?:\/\/[^?#@]+)\/([0-9A-Za-z]{1,40})(?:\.git)?\/?$/.exec(given) ?? []
  if (server === undefined || id === undefined || !URL.canParse(server))
    throw new Failure(
      `${JSON.stringify(given)} is not the id of a space, nor an address such as https://docs.example.org/<id>.git.`,
      exitUsage,
    )

  return { server: server.replace(/\/+$/, ''), id }
}

/** Returns a plain name for the folder of a clone. */
function folderFor(title: string, id: string): string {
  const name = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60)
  return name === '' ? id : name
}
