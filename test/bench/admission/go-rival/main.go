// The rival of the benchmark: a webhook as controller-runtime makes them, with the rules R1, R2 and
// R3 over typed objects. It keeps the ECs of a file in memory, as an informer would, confirms no
// denial live, and logs nothing: all three are in its favour.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	ctrl.SetLogger(logr.Discard())
	port, err := strconv.Atoi(os.Getenv("RIVAL_PORT"))
	if err != nil {
		return fmt.Errorf("RIVAL_PORT: %w", err)
	}
	clusters, err := readClusters(os.Getenv("RIVAL_CLUSTERS"))
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(databaseVersion.WithKind(databaseKind), &Database{})
	scheme.AddKnownTypeWithName(databaseVersion.WithKind(activeActiveKind), &ActiveActive{})
	server := webhook.NewServer(webhook.Options{
		Host:     "127.0.0.1",
		Port:     port,
		CertDir:  os.Getenv("RIVAL_TLS_DIR"),
		CertName: "cert",
		KeyName:  "privateKey",
	})
	validator := &Validator{Clusters: clusters, OperatorNamespace: "engine"}
	databases := admission.WithCustomValidator(scheme, &Database{}, validator)
	activeActive := admission.WithCustomValidator(scheme, &ActiveActive{}, validator)
	server.Register("/admission", &admission.Webhook{
		Handler: admission.HandlerFunc(func(ctx context.Context, review admission.Request) admission.Response {
			if review.Kind.Kind == activeActiveKind {
				return activeActive.Handler.Handle(ctx, review)
			}
			return databases.Handler.Handle(ctx, review)
		}),
	})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return server.Start(ctx)
}

func readClusters(path string) (map[string]*Cluster, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []*Cluster `json:"items"`
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	clusters := map[string]*Cluster{}
	for _, cluster := range list.Items {
		clusters[cluster.Namespace+"/"+cluster.Name] = cluster
	}
	return clusters, nil
}
