package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var databaseVersion = schema.GroupVersion{Group: "app.engine.com", Version: "v1alpha1"}

const (
	databaseKind     = "EngineEnterpriseDatabase"
	activeActiveKind = "EngineEnterpriseActiveActiveDatabase"
)

// Database is an EDB with the fields that the rules read; the decoder skips the others, which is
// less work than the full type of an operator.
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              DatabaseSpec   `json:"spec"`
	Status            DatabaseStatus `json:"status,omitempty"`
}

// ActiveActive is an EAADB, which has what is judged below its global configurations.
type ActiveActive struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ActiveActiveSpec `json:"spec"`
	Status            DatabaseStatus   `json:"status,omitempty"`
}

// Judged holds what the rules read, wherever it stands.
type Judged struct {
	EngineVersion string   `json:"engineVersion,omitempty"`
	ModuleList    []Module `json:"moduleList,omitempty"`
	ModulesList   []Module `json:"modulesList,omitempty"`
}

type Reference struct {
	Name string `json:"name,omitempty"`
}

type DatabaseSpec struct {
	Judged  `json:",inline"`
	Cluster Reference `json:"engineEnterpriseCluster,omitempty"`
}

type ActiveActiveSpec struct {
	EngineVersion        string    `json:"engineVersion,omitempty"`
	GlobalConfigurations Judged    `json:"globalConfigurations,omitempty"`
	Cluster              Reference `json:"engineEnterpriseCluster,omitempty"`
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
	out.Spec.Judged = d.Spec.Judged.copy()
	return &out
}

// DeepCopyObject copies what the rules could change; the decoder asks for it once per object.
func (a *ActiveActive) DeepCopyObject() runtime.Object {
	out := *a
	a.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.GlobalConfigurations = a.Spec.GlobalConfigurations.copy()
	return &out
}

func (j Judged) copy() Judged {
	j.ModuleList = append([]Module(nil), j.ModuleList...)
	j.ModulesList = append([]Module(nil), j.ModulesList...)
	return j
}
