package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var databaseVersion = schema.GroupVersion{Group: "app.engine.com", Version: "v1alpha1"}

const databaseKind = "EngineEnterpriseDatabase"

// Database is an EDB with the fields that the rules read; the decoder skips the others, which is
// less work than the full type of an operator.
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              DatabaseSpec   `json:"spec"`
	Status            DatabaseStatus `json:"status,omitempty"`
}

type DatabaseSpec struct {
	EngineVersion string   `json:"engineVersion,omitempty"`
	ModuleList    []Module `json:"moduleList,omitempty"`
	ModulesList   []Module `json:"modulesList,omitempty"`
	Cluster       struct {
		Name string `json:"name,omitempty"`
	} `json:"engineEnterpriseCluster,omitempty"`
}

type DatabaseStatus struct {
	Version string `json:"version,omitempty"`
}

type Module struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// Cluster is an EC with the fields that the rules read.
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		UpgradePolicy      string   `json:"engineUpgradePolicy,omitempty"`
		UserDefinedModules []Module `json:"userDefinedModules,omitempty"`
	} `json:"spec"`
	Status struct {
		Versions []BundledVersion `json:"bundledDatabaseVersions,omitempty"`
		Modules  []struct {
			Name        string `json:"name"`
			DisplayName string `json:"displayName,omitempty"`
		} `json:"modules,omitempty"`
	} `json:"status,omitempty"`
}

type BundledVersion struct {
	DBType  string `json:"dbType"`
	Version string `json:"version"`
	Major   bool   `json:"major,omitempty"`
}

// DeepCopyObject copies what the rules could change; the decoder asks for it once per object.
func (d *Database) DeepCopyObject() runtime.Object {
	out := *d
	d.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.ModuleList = append([]Module(nil), d.Spec.ModuleList...)
	out.Spec.ModulesList = append([]Module(nil), d.Spec.ModulesList...)
	return &out
}
