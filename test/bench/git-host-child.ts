import { serveGit } from '../support/git/git-server.ts'

// `git http-backend` behind the server of Node, on the repositories of a folder.
const { port } = await serveGit({ folder: process.argv[2] ?? '' })
process.send?.(port)
process.on('disconnect', () => process.exit())
