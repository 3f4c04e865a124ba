// A client of go-git: clones, pushes, and tries what is refused. Prints a line for each step.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	address, token, dir := os.Args[1], os.Args[2], os.Args[3]
	auth := &http.BasicAuth{Username: "x", Password: token}
	repo, err := git.PlainClone(dir, false, &git.CloneOptions{URL: address, Auth: auth})
	must(err)
	head, err := repo.Head()
	must(err)
	fmt.Println("cloned", head.Hash())

	commit := func(name string) string {
		tree, err := repo.Worktree()
		must(err)
		must(os.WriteFile(filepath.Join(dir, name), []byte("# "+name+"\n"), 0o644))
		_, err = tree.Add(name)
		must(err)
		who := &object.Signature{Name: "Go", Email: "go@example.org", When: time.Now()}
		made, err := tree.Commit("Add "+name, &git.CommitOptions{Author: who})
		must(err)
		return made.String()
	}
	push := func(spec string) error {
		return repo.Push(&git.PushOptions{RefSpecs: []config.RefSpec{config.RefSpec(spec)}, Auth: auth})
	}

	onMain := commit("go.md")
	must(push("refs/heads/main:refs/heads/main"))
	fmt.Println("pushed", onMain)
	proposed := commit("proposed.md")
	must(push("refs/heads/main:refs/for/main"))
	fmt.Println("proposed", proposed)
	_, err = repo.CreateTag("v1", head.Hash(), nil)
	must(err)
	fmt.Println("tag:", push("refs/tags/v1:refs/tags/v1"))
	wrong := &http.BasicAuth{Username: "x", Password: "wrong"}
	_, err = git.PlainClone(dir+"-wrong", false, &git.CloneOptions{URL: address, Auth: wrong})
	fmt.Println("token:", err)
}
