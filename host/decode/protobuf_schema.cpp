// SPDX-License-Identifier: Apache-2.0
// Written by tests/oracle/protobuf/run.sh --write from the types of Kubernetes; do not edit.
#include "decode/protobuf_schema.h"

namespace berth::decode::protobuf {
namespace {

using enum Shape;
using enum Form;
using enum Presence;

constexpr Field fields[] = {
    // v1.ListMeta
    {1, String, One, IfNotZero, 0, "selfLink"},
    {2, String, One, IfNotZero, 0, "resourceVersion"},
    {3, String, One, IfNotZero, 0, "continue"},
    {4, Integer, One, IfSent, 0, "remainingItemCount"},
    {5, Message, One, IfSent, 1, "shardInfo"},
    // v1.ShardInfo
    {1, String, One, Always, 0, "selector"},
    // v1.Status
    {1, Message, One, Always, 0, "metadata"},
    {2, String, One, IfNotZero, 0, "status"},
    {3, String, One, IfNotZero, 0, "message"},
    {4, String, One, IfNotZero, 0, "reason"},
    {5, Message, One, IfSent, 3, "details"},
    {6, Integer, One, IfNotZero, 0, "code"},
    // v1.StatusDetails
    {1, String, One, IfNotZero, 0, "name"},
    {2, String, One, IfNotZero, 0, "group"},
    {3, String, One, IfNotZero, 0, "kind"},
    {4, Message, List, IfSent, 4, "causes"},
    {5, Integer, One, IfNotZero, 0, "retryAfterSeconds"},
    {6, String, One, IfNotZero, 0, "uid"},
    // v1.StatusCause
    {1, String, One, IfNotZero, 0, "reason"},
    {2, String, One, IfNotZero, 0, "message"},
    {3, String, One, IfNotZero, 0, "field"},
    // v1.Pod
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 8, "spec"},
    {3, Message, One, Always, 117, "status"},
    // v1.ObjectMeta
    {1, String, One, IfNotZero, 0, "name"},
    {2, String, One, IfNotZero, 0, "generateName"},
    {3, String, One, IfNotZero, 0, "namespace"},
    {4, String, One, IfNotZero, 0, "selfLink"},
    {5, String, One, IfNotZero, 0, "uid"},
    {6, String, One, IfNotZero, 0, "resourceVersion"},
    {7, Integer, One, IfNotZero, 0, "generation"},
    {8, Time, One, IfNotZero, 0, "creationTimestamp"},
    {9, Time, One, IfSent, 0, "deletionTimestamp"},
    {10, Integer, One, IfSent, 0, "deletionGracePeriodSeconds"},
    {11, String, Map, IfSent, 0, "labels"},
    {12, String, Map, IfSent, 0, "annotations"},
    {13, Message, List, IfSent, 7, "ownerReferences"},
    {14, String, List, IfSent, 0, "finalizers"},
    {17, LeftOut, One, IfSent, 0, "managedFields"},
    // v1.OwnerReference
    {1, String, One, Always, 0, "kind"},
    {3, String, One, Always, 0, "name"},
    {4, String, One, Always, 0, "uid"},
    {5, String, One, Always, 0, "apiVersion"},
    {6, Boolean, One, IfSent, 0, "controller"},
    {7, Boolean, One, IfSent, 0, "blockOwnerDeletion"},
    // v1.PodSpec
    {1, Message, List, IfSent, 9, "volumes"},
    {2, Message, List, OrNull, 60, "containers"},
    {3, String, One, IfNotZero, 0, "restartPolicy"},
    {4, Integer, One, IfSent, 0, "terminationGracePeriodSeconds"},
    {5, Integer, One, IfSent, 0, "activeDeadlineSeconds"},
    {6, String, One, IfNotZero, 0, "dnsPolicy"},
    {7, String, Map, IfSent, 0, "nodeSelector"},
    {8, String, One, IfNotZero, 0, "serviceAccountName"},
    {9, String, One, IfNotZero, 0, "serviceAccount"},
    {10, String, One, IfNotZero, 0, "nodeName"},
    {11, Boolean, One, IfNotZero, 0, "hostNetwork"},
    {12, Boolean, One, IfNotZero, 0, "hostPID"},
    {13, Boolean, One, IfNotZero, 0, "hostIPC"},
    {14, Message, One, IfSent, 95, "securityContext"},
    {15, Message, List, IfSent, 20, "imagePullSecrets"},
    {16, String, One, IfNotZero, 0, "hostname"},
    {17, String, One, IfNotZero, 0, "subdomain"},
    {18, Message, One, IfSent, 97, "affinity"},
    {19, String, One, IfNotZero, 0, "schedulerName"},
    {20, Message, List, IfSent, 60, "initContainers"},
    {21, Boolean, One, IfSent, 0, "automountServiceAccountToken"},
    {22, Message, List, IfSent, 107, "tolerations"},
    {23, Message, List, IfSent, 108, "hostAliases"},
    {24, String, One, IfNotZero, 0, "priorityClassName"},
    {25, Integer, One, IfSent, 0, "priority"},
    {26, Message, One, IfSent, 109, "dnsConfig"},
    {27, Boolean, One, IfSent, 0, "shareProcessNamespace"},
    {28, Message, List, IfSent, 111, "readinessGates"},
    {29, String, One, IfSent, 0, "runtimeClassName"},
    {30, Boolean, One, IfSent, 0, "enableServiceLinks"},
    {31, String, One, IfSent, 0, "preemptionPolicy"},
    {32, Quantity, Map, IfSent, 0, "overhead"},
    {33, Message, List, IfSent, 112, "topologySpreadConstraints"},
    {34, Message, List, IfSent, 93, "ephemeralContainers"},
    {35, Boolean, One, IfSent, 0, "setHostnameAsFQDN"},
    {36, Message, One, IfSent, 113, "os"},
    {37, Boolean, One, IfSent, 0, "hostUsers"},
    {38, Message, List, IfSent, 114, "schedulingGates"},
    {39, Message, List, IfSent, 115, "resourceClaims"},
    {40, Message, One, IfSent, 70, "resources"},
    {41, String, One, IfSent, 0, "hostnameOverride"},
    {43, Message, One, IfSent, 116, "schedulingGroup"},
    // v1.Volume
    {1, String, One, Always, 0, "name"},
    {2, Message, Inline, Always, 10, ""},
    // v1.VolumeSource
    {1, Message, One, IfSent, 11, "hostPath"},
    {2, Message, One, IfSent, 12, "emptyDir"},
    {3, Message, One, IfSent, 13, "gcePersistentDisk"},
    {4, Message, One, IfSent, 14, "awsElasticBlockStore"},
    {5, Message, One, IfSent, 15, "gitRepo"},
    {6, Message, One, IfSent, 16, "secret"},
    {7, Message, One, IfSent, 18, "nfs"},
    {8, Message, One, IfSent, 19, "iscsi"},
    {9, Message, One, IfSent, 21, "glusterfs"},
    {10, Message, One, IfSent, 22, "persistentVolumeClaim"},
    {11, Message, One, IfSent, 23, "rbd"},
    {12, Message, One, IfSent, 24, "flexVolume"},
    {13, Message, One, IfSent, 25, "cinder"},
    {14, Message, One, IfSent, 26, "cephfs"},
    {15, Message, One, IfSent, 27, "flocker"},
    {16, Message, One, IfSent, 28, "downwardAPI"},
    {17, Message, One, IfSent, 32, "fc"},
    {18, Message, One, IfSent, 33, "azureFile"},
    {19, Message, One, IfSent, 34, "configMap"},
    {20, Message, One, IfSent, 35, "vsphereVolume"},
    {21, Message, One, IfSent, 36, "quobyte"},
    {22, Message, One, IfSent, 37, "azureDisk"},
    {23, Message, One, IfSent, 38, "photonPersistentDisk"},
    {24, Message, One, IfSent, 49, "portworxVolume"},
    {25, Message, One, IfSent, 50, "scaleIO"},
    {26, Message, One, IfSent, 39, "projected"},
    {27, Message, One, IfSent, 51, "storageos"},
    {28, Message, One, IfSent, 52, "csi"},
    {29, Message, One, IfSent, 53, "ephemeral"},
    {30, Message, One, IfSent, 59, "image"},
    // v1.HostPathVolumeSource
    {1, String, One, Always, 0, "path"},
    {2, String, One, IfSent, 0, "type"},
    // v1.EmptyDirVolumeSource
    {1, String, One, IfNotZero, 0, "medium"},
    {2, Quantity, One, IfSent, 0, "sizeLimit"},
    // v1.GCEPersistentDiskVolumeSource
    {1, String, One, Always, 0, "pdName"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, Integer, One, IfNotZero, 0, "partition"},
    {4, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.AWSElasticBlockStoreVolumeSource
    {1, String, One, Always, 0, "volumeID"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, Integer, One, IfNotZero, 0, "partition"},
    {4, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.GitRepoVolumeSource
    {1, String, One, Always, 0, "repository"},
    {2, String, One, IfNotZero, 0, "revision"},
    {3, String, One, IfNotZero, 0, "directory"},
    // v1.SecretVolumeSource
    {1, String, One, IfNotZero, 0, "secretName"},
    {2, Message, List, IfSent, 17, "items"},
    {3, Integer, One, IfSent, 0, "defaultMode"},
    {4, Boolean, One, IfSent, 0, "optional"},
    // v1.KeyToPath
    {1, String, One, Always, 0, "key"},
    {2, String, One, Always, 0, "path"},
    {3, Integer, One, IfSent, 0, "mode"},
    // v1.NFSVolumeSource
    {1, String, One, Always, 0, "server"},
    {2, String, One, Always, 0, "path"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.ISCSIVolumeSource
    {1, String, One, Always, 0, "targetPortal"},
    {2, String, One, Always, 0, "iqn"},
    {3, Integer, One, Always, 0, "lun"},
    {4, String, One, IfNotZero, 0, "iscsiInterface"},
    {5, String, One, IfNotZero, 0, "fsType"},
    {6, Boolean, One, IfNotZero, 0, "readOnly"},
    {7, String, List, IfSent, 0, "portals"},
    {8, Boolean, One, IfNotZero, 0, "chapAuthDiscovery"},
    {10, Message, One, IfSent, 20, "secretRef"},
    {11, Boolean, One, IfNotZero, 0, "chapAuthSession"},
    {12, String, One, IfSent, 0, "initiatorName"},
    // v1.LocalObjectReference
    {1, String, One, IfNotZero, 0, "name"},
    // v1.GlusterfsVolumeSource
    {1, String, One, Always, 0, "endpoints"},
    {2, String, One, Always, 0, "path"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.PersistentVolumeClaimVolumeSource
    {1, String, One, Always, 0, "claimName"},
    {2, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.RBDVolumeSource
    {1, String, List, OrNull, 0, "monitors"},
    {2, String, One, Always, 0, "image"},
    {3, String, One, IfNotZero, 0, "fsType"},
    {4, String, One, IfNotZero, 0, "pool"},
    {5, String, One, IfNotZero, 0, "user"},
    {6, String, One, IfNotZero, 0, "keyring"},
    {7, Message, One, IfSent, 20, "secretRef"},
    {8, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.FlexVolumeSource
    {1, String, One, Always, 0, "driver"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, Message, One, IfSent, 20, "secretRef"},
    {4, Boolean, One, IfNotZero, 0, "readOnly"},
    {5, String, Map, IfSent, 0, "options"},
    // v1.CinderVolumeSource
    {1, String, One, Always, 0, "volumeID"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    {4, Message, One, IfSent, 20, "secretRef"},
    // v1.CephFSVolumeSource
    {1, String, List, OrNull, 0, "monitors"},
    {2, String, One, IfNotZero, 0, "path"},
    {3, String, One, IfNotZero, 0, "user"},
    {4, String, One, IfNotZero, 0, "secretFile"},
    {5, Message, One, IfSent, 20, "secretRef"},
    {6, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.FlockerVolumeSource
    {1, String, One, IfNotZero, 0, "datasetName"},
    {2, String, One, IfNotZero, 0, "datasetUUID"},
    // v1.DownwardAPIVolumeSource
    {1, Message, List, IfSent, 29, "items"},
    {2, Integer, One, IfSent, 0, "defaultMode"},
    // v1.DownwardAPIVolumeFile
    {1, String, One, Always, 0, "path"},
    {2, Message, One, IfSent, 30, "fieldRef"},
    {3, Message, One, IfSent, 31, "resourceFieldRef"},
    {4, Integer, One, IfSent, 0, "mode"},
    // v1.ObjectFieldSelector
    {1, String, One, IfNotZero, 0, "apiVersion"},
    {2, String, One, Always, 0, "fieldPath"},
    // v1.ResourceFieldSelector
    {1, String, One, IfNotZero, 0, "containerName"},
    {2, String, One, Always, 0, "resource"},
    {3, Quantity, One, Always, 0, "divisor"},
    // v1.FCVolumeSource
    {1, String, List, IfSent, 0, "targetWWNs"},
    {2, Integer, One, IfSent, 0, "lun"},
    {3, String, One, IfNotZero, 0, "fsType"},
    {4, Boolean, One, IfNotZero, 0, "readOnly"},
    {5, String, List, IfSent, 0, "wwids"},
    // v1.AzureFileVolumeSource
    {1, String, One, Always, 0, "secretName"},
    {2, String, One, Always, 0, "shareName"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.ConfigMapVolumeSource
    {1, Message, Inline, Always, 20, ""},
    {2, Message, List, IfSent, 17, "items"},
    {3, Integer, One, IfSent, 0, "defaultMode"},
    {4, Boolean, One, IfSent, 0, "optional"},
    // v1.VsphereVirtualDiskVolumeSource
    {1, String, One, Always, 0, "volumePath"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, String, One, IfNotZero, 0, "storagePolicyName"},
    {4, String, One, IfNotZero, 0, "storagePolicyID"},
    // v1.QuobyteVolumeSource
    {1, String, One, Always, 0, "registry"},
    {2, String, One, Always, 0, "volume"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    {4, String, One, IfNotZero, 0, "user"},
    {5, String, One, IfNotZero, 0, "group"},
    {6, String, One, IfNotZero, 0, "tenant"},
    // v1.AzureDiskVolumeSource
    {1, String, One, Always, 0, "diskName"},
    {2, String, One, Always, 0, "diskURI"},
    {3, String, One, IfSent, 0, "cachingMode"},
    {4, String, One, IfSent, 0, "fsType"},
    {5, Boolean, One, IfSent, 0, "readOnly"},
    {6, String, One, IfSent, 0, "kind"},
    // v1.PhotonPersistentDiskVolumeSource
    {1, String, One, Always, 0, "pdID"},
    {2, String, One, IfNotZero, 0, "fsType"},
    // v1.ProjectedVolumeSource
    {1, Message, List, OrNull, 40, "sources"},
    {2, Integer, One, IfSent, 0, "defaultMode"},
    // v1.VolumeProjection
    {1, Message, One, IfSent, 41, "secret"},
    {2, Message, One, IfSent, 42, "downwardAPI"},
    {3, Message, One, IfSent, 43, "configMap"},
    {4, Message, One, IfSent, 44, "serviceAccountToken"},
    {5, Message, One, IfSent, 45, "clusterTrustBundle"},
    {6, Message, One, IfSent, 48, "podCertificate"},
    // v1.SecretProjection
    {1, Message, Inline, Always, 20, ""},
    {2, Message, List, IfSent, 17, "items"},
    {4, Boolean, One, IfSent, 0, "optional"},
    // v1.DownwardAPIProjection
    {1, Message, List, IfSent, 29, "items"},
    // v1.ConfigMapProjection
    {1, Message, Inline, Always, 20, ""},
    {2, Message, List, IfSent, 17, "items"},
    {4, Boolean, One, IfSent, 0, "optional"},
    // v1.ServiceAccountTokenProjection
    {1, String, One, IfNotZero, 0, "audience"},
    {2, Integer, One, IfSent, 0, "expirationSeconds"},
    {3, String, One, Always, 0, "path"},
    // v1.ClusterTrustBundleProjection
    {1, String, One, IfSent, 0, "name"},
    {2, String, One, IfSent, 0, "signerName"},
    {3, Message, One, IfSent, 46, "labelSelector"},
    {4, String, One, Always, 0, "path"},
    {5, Boolean, One, IfSent, 0, "optional"},
    // v1.LabelSelector
    {1, String, Map, IfSent, 0, "matchLabels"},
    {2, Message, List, IfSent, 47, "matchExpressions"},
    // v1.LabelSelectorRequirement
    {1, String, One, Always, 0, "key"},
    {2, String, One, Always, 0, "operator"},
    {3, String, List, IfSent, 0, "values"},
    // v1.PodCertificateProjection
    {1, String, One, IfNotZero, 0, "signerName"},
    {2, String, One, IfNotZero, 0, "keyType"},
    {3, Integer, One, IfSent, 0, "maxExpirationSeconds"},
    {4, String, One, IfNotZero, 0, "credentialBundlePath"},
    {5, String, One, IfNotZero, 0, "keyPath"},
    {6, String, One, IfNotZero, 0, "certificateChainPath"},
    {7, String, Map, IfSent, 0, "userAnnotations"},
    // v1.PortworxVolumeSource
    {1, String, One, Always, 0, "volumeID"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.ScaleIOVolumeSource
    {1, String, One, Always, 0, "gateway"},
    {2, String, One, Always, 0, "system"},
    {3, Message, One, OrNull, 20, "secretRef"},
    {4, Boolean, One, IfNotZero, 0, "sslEnabled"},
    {5, String, One, IfNotZero, 0, "protectionDomain"},
    {6, String, One, IfNotZero, 0, "storagePool"},
    {7, String, One, IfNotZero, 0, "storageMode"},
    {8, String, One, IfNotZero, 0, "volumeName"},
    {9, String, One, IfNotZero, 0, "fsType"},
    {10, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.StorageOSVolumeSource
    {1, String, One, IfNotZero, 0, "volumeName"},
    {2, String, One, IfNotZero, 0, "volumeNamespace"},
    {3, String, One, IfNotZero, 0, "fsType"},
    {4, Boolean, One, IfNotZero, 0, "readOnly"},
    {5, Message, One, IfSent, 20, "secretRef"},
    // v1.CSIVolumeSource
    {1, String, One, Always, 0, "driver"},
    {2, Boolean, One, IfSent, 0, "readOnly"},
    {3, String, One, IfSent, 0, "fsType"},
    {4, String, Map, IfSent, 0, "volumeAttributes"},
    {5, Message, One, IfSent, 20, "nodePublishSecretRef"},
    // v1.EphemeralVolumeSource
    {1, Message, One, IfSent, 54, "volumeClaimTemplate"},
    // v1.PersistentVolumeClaimTemplate
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 55, "spec"},
    // v1.PersistentVolumeClaimSpec
    {1, String, List, IfSent, 0, "accessModes"},
    {2, Message, One, Always, 56, "resources"},
    {3, String, One, IfNotZero, 0, "volumeName"},
    {4, Message, One, IfSent, 46, "selector"},
    {5, String, One, IfSent, 0, "storageClassName"},
    {6, String, One, IfSent, 0, "volumeMode"},
    {7, Message, One, IfSent, 57, "dataSource"},
    {8, Message, One, IfSent, 58, "dataSourceRef"},
    {9, String, One, IfSent, 0, "volumeAttributesClassName"},
    // v1.VolumeResourceRequirements
    {1, Quantity, Map, IfSent, 0, "limits"},
    {2, Quantity, Map, IfSent, 0, "requests"},
    // v1.TypedLocalObjectReference
    {1, String, One, OrNull, 0, "apiGroup"},
    {2, String, One, Always, 0, "kind"},
    {3, String, One, Always, 0, "name"},
    // v1.TypedObjectReference
    {1, String, One, OrNull, 0, "apiGroup"},
    {2, String, One, Always, 0, "kind"},
    {3, String, One, Always, 0, "name"},
    {4, String, One, IfSent, 0, "namespace"},
    // v1.ImageVolumeSource
    {1, String, One, IfNotZero, 0, "reference"},
    {2, String, One, IfNotZero, 0, "pullPolicy"},
    // v1.Container
    {1, String, One, Always, 0, "name"},
    {2, String, One, IfNotZero, 0, "image"},
    {3, String, List, IfSent, 0, "command"},
    {4, String, List, IfSent, 0, "args"},
    {5, String, One, IfNotZero, 0, "workingDir"},
    {6, Message, List, IfSent, 61, "ports"},
    {7, Message, List, IfSent, 65, "env"},
    {8, Message, One, Always, 70, "resources"},
    {9, Message, List, IfSent, 75, "volumeMounts"},
    {10, Message, One, IfSent, 77, "livenessProbe"},
    {11, Message, One, IfSent, 77, "readinessProbe"},
    {12, Message, One, IfSent, 84, "lifecycle"},
    {13, String, One, IfNotZero, 0, "terminationMessagePath"},
    {14, String, One, IfNotZero, 0, "imagePullPolicy"},
    {15, Message, One, IfSent, 87, "securityContext"},
    {16, Boolean, One, IfNotZero, 0, "stdin"},
    {17, Boolean, One, IfNotZero, 0, "stdinOnce"},
    {18, Boolean, One, IfNotZero, 0, "tty"},
    {19, Message, List, IfSent, 62, "envFrom"},
    {20, String, One, IfNotZero, 0, "terminationMessagePolicy"},
    {21, Message, List, IfSent, 76, "volumeDevices"},
    {22, Message, One, IfSent, 77, "startupProbe"},
    {23, Message, List, IfSent, 72, "resizePolicy"},
    {24, String, One, IfSent, 0, "restartPolicy"},
    {25, Message, List, IfSent, 73, "restartPolicyRules"},
    // v1.ContainerPort
    {1, String, One, IfNotZero, 0, "name"},
    {2, Integer, One, IfNotZero, 0, "hostPort"},
    {3, Integer, One, Always, 0, "containerPort"},
    {4, String, One, IfNotZero, 0, "protocol"},
    {5, String, One, IfNotZero, 0, "hostIP"},
    // v1.EnvFromSource
    {1, String, One, IfNotZero, 0, "prefix"},
    {2, Message, One, IfSent, 63, "configMapRef"},
    {3, Message, One, IfSent, 64, "secretRef"},
    // v1.ConfigMapEnvSource
    {1, Message, Inline, Always, 20, ""},
    {2, Boolean, One, IfSent, 0, "optional"},
    // v1.SecretEnvSource
    {1, Message, Inline, Always, 20, ""},
    {2, Boolean, One, IfSent, 0, "optional"},
    // v1.EnvVar
    {1, String, One, Always, 0, "name"},
    {2, String, One, IfNotZero, 0, "value"},
    {3, Message, One, IfSent, 66, "valueFrom"},
    // v1.EnvVarSource
    {1, Message, One, IfSent, 30, "fieldRef"},
    {2, Message, One, IfSent, 31, "resourceFieldRef"},
    {3, Message, One, IfSent, 67, "configMapKeyRef"},
    {4, Message, One, IfSent, 68, "secretKeyRef"},
    {5, Message, One, IfSent, 69, "fileKeyRef"},
    // v1.ConfigMapKeySelector
    {1, Message, Inline, Always, 20, ""},
    {2, String, One, Always, 0, "key"},
    {3, Boolean, One, IfSent, 0, "optional"},
    // v1.SecretKeySelector
    {1, Message, Inline, Always, 20, ""},
    {2, String, One, Always, 0, "key"},
    {3, Boolean, One, IfSent, 0, "optional"},
    // v1.FileKeySelector
    {1, String, One, Always, 0, "volumeName"},
    {2, String, One, Always, 0, "path"},
    {3, String, One, Always, 0, "key"},
    {4, Boolean, One, IfSent, 0, "optional"},
    // v1.ResourceRequirements
    {1, Quantity, Map, IfSent, 0, "limits"},
    {2, Quantity, Map, IfSent, 0, "requests"},
    {3, Message, List, IfSent, 71, "claims"},
    // v1.ResourceClaim
    {1, String, One, Always, 0, "name"},
    {2, String, One, IfNotZero, 0, "request"},
    // v1.ContainerResizePolicy
    {1, String, One, Always, 0, "resourceName"},
    {2, String, One, Always, 0, "restartPolicy"},
    // v1.ContainerRestartRule
    {1, String, One, IfNotZero, 0, "action"},
    {2, Message, One, IfSent, 74, "exitCodes"},
    // v1.ContainerRestartRuleOnExitCodes
    {1, String, One, IfNotZero, 0, "operator"},
    {2, Integer, List, IfSent, 0, "values"},
    // v1.VolumeMount
    {1, String, One, Always, 0, "name"},
    {2, Boolean, One, IfNotZero, 0, "readOnly"},
    {3, String, One, Always, 0, "mountPath"},
    {4, String, One, IfNotZero, 0, "subPath"},
    {5, String, One, IfSent, 0, "mountPropagation"},
    {6, String, One, IfNotZero, 0, "subPathExpr"},
    {7, String, One, IfSent, 0, "recursiveReadOnly"},
    // v1.VolumeDevice
    {1, String, One, Always, 0, "name"},
    {2, String, One, Always, 0, "devicePath"},
    // v1.Probe
    {1, Message, Inline, Always, 78, ""},
    {2, Integer, One, IfNotZero, 0, "initialDelaySeconds"},
    {3, Integer, One, IfNotZero, 0, "timeoutSeconds"},
    {4, Integer, One, IfNotZero, 0, "periodSeconds"},
    {5, Integer, One, IfNotZero, 0, "successThreshold"},
    {6, Integer, One, IfNotZero, 0, "failureThreshold"},
    {7, Integer, One, IfSent, 0, "terminationGracePeriodSeconds"},
    // v1.ProbeHandler
    {1, Message, One, IfSent, 79, "exec"},
    {2, Message, One, IfSent, 80, "httpGet"},
    {3, Message, One, IfSent, 82, "tcpSocket"},
    {4, Message, One, IfSent, 83, "grpc"},
    // v1.ExecAction
    {1, String, List, IfSent, 0, "command"},
    // v1.HTTPGetAction
    {1, String, One, IfNotZero, 0, "path"},
    {2, IntOrString, One, Always, 0, "port"},
    {3, String, One, IfNotZero, 0, "host"},
    {4, String, One, IfNotZero, 0, "scheme"},
    {5, Message, List, IfSent, 81, "httpHeaders"},
    // v1.HTTPHeader
    {1, String, One, Always, 0, "name"},
    {2, String, One, Always, 0, "value"},
    // v1.TCPSocketAction
    {1, IntOrString, One, Always, 0, "port"},
    {2, String, One, IfNotZero, 0, "host"},
    // v1.GRPCAction
    {1, Integer, One, Always, 0, "port"},
    {2, String, One, OrNull, 0, "service"},
    // v1.Lifecycle
    {1, Message, One, IfSent, 85, "postStart"},
    {2, Message, One, IfSent, 85, "preStop"},
    {3, String, One, IfSent, 0, "stopSignal"},
    // v1.LifecycleHandler
    {1, Message, One, IfSent, 79, "exec"},
    {2, Message, One, IfSent, 80, "httpGet"},
    {3, Message, One, IfSent, 82, "tcpSocket"},
    {4, Message, One, IfSent, 86, "sleep"},
    // v1.SleepAction
    {1, Integer, One, Always, 0, "seconds"},
    // v1.SecurityContext
    {1, Message, One, IfSent, 88, "capabilities"},
    {2, Boolean, One, IfSent, 0, "privileged"},
    {3, Message, One, IfSent, 89, "seLinuxOptions"},
    {4, Integer, One, IfSent, 0, "runAsUser"},
    {5, Boolean, One, IfSent, 0, "runAsNonRoot"},
    {6, Boolean, One, IfSent, 0, "readOnlyRootFilesystem"},
    {7, Boolean, One, IfSent, 0, "allowPrivilegeEscalation"},
    {8, Integer, One, IfSent, 0, "runAsGroup"},
    {9, String, One, IfSent, 0, "procMount"},
    {10, Message, One, IfSent, 90, "windowsOptions"},
    {11, Message, One, IfSent, 91, "seccompProfile"},
    {12, Message, One, IfSent, 92, "appArmorProfile"},
    // v1.Capabilities
    {1, String, List, IfSent, 0, "add"},
    {2, String, List, IfSent, 0, "drop"},
    // v1.SELinuxOptions
    {1, String, One, IfNotZero, 0, "user"},
    {2, String, One, IfNotZero, 0, "role"},
    {3, String, One, IfNotZero, 0, "type"},
    {4, String, One, IfNotZero, 0, "level"},
    // v1.WindowsSecurityContextOptions
    {1, String, One, IfSent, 0, "gmsaCredentialSpecName"},
    {2, String, One, IfSent, 0, "gmsaCredentialSpec"},
    {3, String, One, IfSent, 0, "runAsUserName"},
    {4, Boolean, One, IfSent, 0, "hostProcess"},
    // v1.SeccompProfile
    {1, String, One, Always, 0, "type"},
    {2, String, One, IfSent, 0, "localhostProfile"},
    // v1.AppArmorProfile
    {1, String, One, Always, 0, "type"},
    {2, String, One, IfSent, 0, "localhostProfile"},
    // v1.EphemeralContainer
    {1, Message, Inline, Always, 94, ""},
    {2, String, One, IfNotZero, 0, "targetContainerName"},
    // v1.EphemeralContainerCommon
    {1, String, One, Always, 0, "name"},
    {2, String, One, IfNotZero, 0, "image"},
    {3, String, List, IfSent, 0, "command"},
    {4, String, List, IfSent, 0, "args"},
    {5, String, One, IfNotZero, 0, "workingDir"},
    {6, Message, List, IfSent, 61, "ports"},
    {7, Message, List, IfSent, 65, "env"},
    {8, Message, One, Always, 70, "resources"},
    {9, Message, List, IfSent, 75, "volumeMounts"},
    {10, Message, One, IfSent, 77, "livenessProbe"},
    {11, Message, One, IfSent, 77, "readinessProbe"},
    {12, Message, One, IfSent, 84, "lifecycle"},
    {13, String, One, IfNotZero, 0, "terminationMessagePath"},
    {14, String, One, IfNotZero, 0, "imagePullPolicy"},
    {15, Message, One, IfSent, 87, "securityContext"},
    {16, Boolean, One, IfNotZero, 0, "stdin"},
    {17, Boolean, One, IfNotZero, 0, "stdinOnce"},
    {18, Boolean, One, IfNotZero, 0, "tty"},
    {19, Message, List, IfSent, 62, "envFrom"},
    {20, String, One, IfNotZero, 0, "terminationMessagePolicy"},
    {21, Message, List, IfSent, 76, "volumeDevices"},
    {22, Message, One, IfSent, 77, "startupProbe"},
    {23, Message, List, IfSent, 72, "resizePolicy"},
    {24, String, One, IfSent, 0, "restartPolicy"},
    {25, Message, List, IfSent, 73, "restartPolicyRules"},
    // v1.PodSecurityContext
    {1, Message, One, IfSent, 89, "seLinuxOptions"},
    {2, Integer, One, IfSent, 0, "runAsUser"},
    {3, Boolean, One, IfSent, 0, "runAsNonRoot"},
    {4, Integer, List, IfSent, 0, "supplementalGroups"},
    {5, Integer, One, IfSent, 0, "fsGroup"},
    {6, Integer, One, IfSent, 0, "runAsGroup"},
    {7, Message, List, IfSent, 96, "sysctls"},
    {8, Message, One, IfSent, 90, "windowsOptions"},
    {9, String, One, IfSent, 0, "fsGroupChangePolicy"},
    {10, Message, One, IfSent, 91, "seccompProfile"},
    {11, Message, One, IfSent, 92, "appArmorProfile"},
    {12, String, One, IfSent, 0, "supplementalGroupsPolicy"},
    {13, String, One, IfSent, 0, "seLinuxChangePolicy"},
    // v1.Sysctl
    {1, String, One, Always, 0, "name"},
    {2, String, One, Always, 0, "value"},
    // v1.Affinity
    {1, Message, One, IfSent, 98, "nodeAffinity"},
    {2, Message, One, IfSent, 103, "podAffinity"},
    {3, Message, One, IfSent, 106, "podAntiAffinity"},
    // v1.NodeAffinity
    {1, Message, One, IfSent, 99, "requiredDuringSchedulingIgnoredDuringExecution"},
    {2, Message, List, IfSent, 102, "preferredDuringSchedulingIgnoredDuringExecution"},
    // v1.NodeSelector
    {1, Message, List, OrNull, 100, "nodeSelectorTerms"},
    // v1.NodeSelectorTerm
    {1, Message, List, IfSent, 101, "matchExpressions"},
    {2, Message, List, IfSent, 101, "matchFields"},
    // v1.NodeSelectorRequirement
    {1, String, One, Always, 0, "key"},
    {2, String, One, Always, 0, "operator"},
    {3, String, List, IfSent, 0, "values"},
    // v1.PreferredSchedulingTerm
    {1, Integer, One, Always, 0, "weight"},
    {2, Message, One, Always, 100, "preference"},
    // v1.PodAffinity
    {1, Message, List, IfSent, 104, "requiredDuringSchedulingIgnoredDuringExecution"},
    {2, Message, List, IfSent, 105, "preferredDuringSchedulingIgnoredDuringExecution"},
    // v1.PodAffinityTerm
    {1, Message, One, IfSent, 46, "labelSelector"},
    {2, String, List, IfSent, 0, "namespaces"},
    {3, String, One, Always, 0, "topologyKey"},
    {4, Message, One, IfSent, 46, "namespaceSelector"},
    {5, String, List, IfSent, 0, "matchLabelKeys"},
    {6, String, List, IfSent, 0, "mismatchLabelKeys"},
    // v1.WeightedPodAffinityTerm
    {1, Integer, One, Always, 0, "weight"},
    {2, Message, One, Always, 104, "podAffinityTerm"},
    // v1.PodAntiAffinity
    {1, Message, List, IfSent, 104, "requiredDuringSchedulingIgnoredDuringExecution"},
    {2, Message, List, IfSent, 105, "preferredDuringSchedulingIgnoredDuringExecution"},
    // v1.Toleration
    {1, String, One, IfNotZero, 0, "key"},
    {2, String, One, IfNotZero, 0, "operator"},
    {3, String, One, IfNotZero, 0, "value"},
    {4, String, One, IfNotZero, 0, "effect"},
    {5, Integer, One, IfSent, 0, "tolerationSeconds"},
    // v1.HostAlias
    {1, String, One, Always, 0, "ip"},
    {2, String, List, IfSent, 0, "hostnames"},
    // v1.PodDNSConfig
    {1, String, List, IfSent, 0, "nameservers"},
    {2, String, List, IfSent, 0, "searches"},
    {3, Message, List, IfSent, 110, "options"},
    // v1.PodDNSConfigOption
    {1, String, One, IfNotZero, 0, "name"},
    {2, String, One, IfSent, 0, "value"},
    // v1.PodReadinessGate
    {1, String, One, Always, 0, "conditionType"},
    // v1.TopologySpreadConstraint
    {1, Integer, One, Always, 0, "maxSkew"},
    {2, String, One, Always, 0, "topologyKey"},
    {3, String, One, Always, 0, "whenUnsatisfiable"},
    {4, Message, One, IfSent, 46, "labelSelector"},
    {5, Integer, One, IfSent, 0, "minDomains"},
    {6, String, One, IfSent, 0, "nodeAffinityPolicy"},
    {7, String, One, IfSent, 0, "nodeTaintsPolicy"},
    {8, String, List, IfSent, 0, "matchLabelKeys"},
    // v1.PodOS
    {1, String, One, Always, 0, "name"},
    // v1.PodSchedulingGate
    {1, String, One, Always, 0, "name"},
    // v1.PodResourceClaim
    {1, String, One, Always, 0, "name"},
    {3, String, One, IfSent, 0, "resourceClaimName"},
    {4, String, One, IfSent, 0, "resourceClaimTemplateName"},
    // v1.PodSchedulingGroup
    {1, String, One, IfSent, 0, "podGroupName"},
    // v1.PodStatus
    {1, String, One, IfNotZero, 0, "phase"},
    {2, Message, List, IfSent, 118, "conditions"},
    {3, String, One, IfNotZero, 0, "message"},
    {4, String, One, IfNotZero, 0, "reason"},
    {5, String, One, IfNotZero, 0, "hostIP"},
    {6, String, One, IfNotZero, 0, "podIP"},
    {7, Time, One, IfSent, 0, "startTime"},
    {8, Message, List, IfSent, 121, "containerStatuses"},
    {9, String, One, IfNotZero, 0, "qosClass"},
    {10, Message, List, IfSent, 121, "initContainerStatuses"},
    {11, String, One, IfNotZero, 0, "nominatedNodeName"},
    {12, Message, List, IfSent, 120, "podIPs"},
    {13, Message, List, IfSent, 121, "ephemeralContainerStatuses"},
    {14, String, One, IfNotZero, 0, "resize"},
    {15, Message, List, IfSent, 133, "resourceClaimStatuses"},
    {16, Message, List, IfSent, 119, "hostIPs"},
    {17, Integer, One, IfNotZero, 0, "observedGeneration"},
    {18, Message, One, IfSent, 134, "extendedResourceClaimStatus"},
    {19, Quantity, Map, IfSent, 0, "allocatedResources"},
    {20, Message, One, IfSent, 70, "resources"},
    {21, Message, List, IfSent, 136, "nodeAllocatableResourceClaimStatuses"},
    // v1.PodCondition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {3, Time, One, Always, 0, "lastProbeTime"},
    {4, Time, One, Always, 0, "lastTransitionTime"},
    {5, String, One, IfNotZero, 0, "reason"},
    {6, String, One, IfNotZero, 0, "message"},
    {7, Integer, One, IfNotZero, 0, "observedGeneration"},
    // v1.HostIP
    {1, String, One, Always, 0, "ip"},
    // v1.PodIP
    {1, String, One, Always, 0, "ip"},
    // v1.ContainerStatus
    {1, String, One, Always, 0, "name"},
    {2, Message, One, Always, 122, "state"},
    {3, Message, One, Always, 122, "lastState"},
    {4, Boolean, One, Always, 0, "ready"},
    {5, Integer, One, Always, 0, "restartCount"},
    {6, String, One, Always, 0, "image"},
    {7, String, One, Always, 0, "imageID"},
    {8, String, One, IfNotZero, 0, "containerID"},
    {9, Boolean, One, IfSent, 0, "started"},
    {10, Quantity, Map, IfSent, 0, "allocatedResources"},
    {11, Message, One, IfSent, 70, "resources"},
    {12, Message, List, IfSent, 126, "volumeMounts"},
    {13, Message, One, IfSent, 129, "user"},
    {14, Message, List, IfSent, 131, "allocatedResourcesStatus"},
    {15, String, One, IfSent, 0, "stopSignal"},
    // v1.ContainerState
    {1, Message, One, IfSent, 123, "waiting"},
    {2, Message, One, IfSent, 124, "running"},
    {3, Message, One, IfSent, 125, "terminated"},
    // v1.ContainerStateWaiting
    {1, String, One, IfNotZero, 0, "reason"},
    {2, String, One, IfNotZero, 0, "message"},
    // v1.ContainerStateRunning
    {1, Time, One, Always, 0, "startedAt"},
    // v1.ContainerStateTerminated
    {1, Integer, One, Always, 0, "exitCode"},
    {2, Integer, One, IfNotZero, 0, "signal"},
    {3, String, One, IfNotZero, 0, "reason"},
    {4, String, One, IfNotZero, 0, "message"},
    {5, Time, One, Always, 0, "startedAt"},
    {6, Time, One, Always, 0, "finishedAt"},
    {7, String, One, IfNotZero, 0, "containerID"},
    // v1.VolumeMountStatus
    {1, String, One, Always, 0, "name"},
    {2, String, One, Always, 0, "mountPath"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    {4, String, One, IfSent, 0, "recursiveReadOnly"},
    {5, Message, One, IfSent, 127, "volumeStatus"},
    // v1.VolumeStatus
    {1, Message, One, IfSent, 128, "image"},
    // v1.ImageVolumeStatus
    {1, String, One, IfNotZero, 0, "imageRef"},
    // v1.ContainerUser
    {1, Message, One, IfSent, 130, "linux"},
    // v1.LinuxContainerUser
    {1, Integer, One, Always, 0, "uid"},
    {2, Integer, One, Always, 0, "gid"},
    {3, Integer, List, IfSent, 0, "supplementalGroups"},
    // v1.ResourceStatus
    {1, String, One, Always, 0, "name"},
    {2, Message, List, IfSent, 132, "resources"},
    // v1.ResourceHealth
    {1, String, One, Always, 0, "resourceID"},
    {2, String, One, IfNotZero, 0, "health"},
    {6, String, One, IfSent, 0, "message"},
    // v1.PodResourceClaimStatus
    {1, String, One, Always, 0, "name"},
    {2, String, One, IfSent, 0, "resourceClaimName"},
    // v1.PodExtendedResourceClaimStatus
    {1, Message, List, OrNull, 135, "requestMappings"},
    {2, String, One, Always, 0, "resourceClaimName"},
    // v1.ContainerExtendedResourceRequest
    {1, String, One, Always, 0, "containerName"},
    {2, String, One, Always, 0, "resourceName"},
    {3, String, One, Always, 0, "requestName"},
    // v1.NodeAllocatableResourceClaimStatus
    {1, String, One, Always, 0, "resourceClaimName"},
    {2, String, List, IfSent, 0, "containers"},
    {3, Quantity, Map, OrNull, 0, "resources"},
    // v1.Node
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 138, "spec"},
    {3, Message, One, Always, 142, "status"},
    // v1.NodeSpec
    {1, String, One, IfNotZero, 0, "podCIDR"},
    {2, String, One, IfNotZero, 0, "externalID"},
    {3, String, One, IfNotZero, 0, "providerID"},
    {4, Boolean, One, IfNotZero, 0, "unschedulable"},
    {5, Message, List, IfSent, 139, "taints"},
    {6, Message, One, IfSent, 140, "configSource"},
    {7, String, List, IfSent, 0, "podCIDRs"},
    // v1.Taint
    {1, String, One, Always, 0, "key"},
    {2, String, One, IfNotZero, 0, "value"},
    {3, String, One, Always, 0, "effect"},
    {4, Time, One, IfSent, 0, "timeAdded"},
    // v1.NodeConfigSource
    {2, Message, One, IfSent, 141, "configMap"},
    // v1.ConfigMapNodeConfigSource
    {1, String, One, Always, 0, "namespace"},
    {2, String, One, Always, 0, "name"},
    {3, String, One, IfNotZero, 0, "uid"},
    {4, String, One, IfNotZero, 0, "resourceVersion"},
    {5, String, One, Always, 0, "kubeletConfigKey"},
    // v1.NodeStatus
    {1, Quantity, Map, IfSent, 0, "capacity"},
    {2, Quantity, Map, IfSent, 0, "allocatable"},
    {3, String, One, IfNotZero, 0, "phase"},
    {4, Message, List, IfSent, 143, "conditions"},
    {5, Message, List, IfSent, 144, "addresses"},
    {6, Message, One, Always, 145, "daemonEndpoints"},
    {7, Message, One, Always, 147, "nodeInfo"},
    {8, Message, List, IfSent, 149, "images"},
    {9, String, List, IfSent, 0, "volumesInUse"},
    {10, Message, List, IfSent, 150, "volumesAttached"},
    {11, Message, One, IfSent, 151, "config"},
    {12, Message, List, IfSent, 152, "runtimeHandlers"},
    {13, Message, One, IfSent, 154, "features"},
    {14, String, List, IfSent, 0, "declaredFeatures"},
    // v1.NodeCondition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {3, Time, One, Always, 0, "lastHeartbeatTime"},
    {4, Time, One, Always, 0, "lastTransitionTime"},
    {5, String, One, IfNotZero, 0, "reason"},
    {6, String, One, IfNotZero, 0, "message"},
    // v1.NodeAddress
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "address"},
    // v1.NodeDaemonEndpoints
    {1, Message, One, Always, 146, "kubeletEndpoint"},
    // v1.DaemonEndpoint
    {1, Integer, One, Always, 0, "Port"},
    // v1.NodeSystemInfo
    {1, String, One, Always, 0, "machineID"},
    {2, String, One, Always, 0, "systemUUID"},
    {3, String, One, Always, 0, "bootID"},
    {4, String, One, Always, 0, "kernelVersion"},
    {5, String, One, Always, 0, "osImage"},
    {6, String, One, Always, 0, "containerRuntimeVersion"},
    {7, String, One, Always, 0, "kubeletVersion"},
    {8, String, One, Always, 0, "kubeProxyVersion"},
    {9, String, One, Always, 0, "operatingSystem"},
    {10, String, One, Always, 0, "architecture"},
    {11, Message, One, IfSent, 148, "swap"},
    // v1.NodeSwapStatus
    {1, Integer, One, IfSent, 0, "capacity"},
    // v1.ContainerImage
    {1, String, List, OrNull, 0, "names"},
    {2, Integer, One, IfNotZero, 0, "sizeBytes"},
    // v1.AttachedVolume
    {1, String, One, Always, 0, "name"},
    {2, String, One, Always, 0, "devicePath"},
    // v1.NodeConfigStatus
    {1, Message, One, IfSent, 140, "assigned"},
    {2, Message, One, IfSent, 140, "active"},
    {3, Message, One, IfSent, 140, "lastKnownGood"},
    {4, String, One, IfNotZero, 0, "error"},
    // v1.NodeRuntimeHandler
    {1, String, One, Always, 0, "name"},
    {2, Message, One, IfSent, 153, "features"},
    // v1.NodeRuntimeHandlerFeatures
    {1, Boolean, One, IfSent, 0, "recursiveReadOnlyMounts"},
    {2, Boolean, One, IfSent, 0, "userNamespaces"},
    // v1.NodeFeatures
    {1, Boolean, One, IfSent, 0, "supplementalGroupsPolicy"},
    // v1.Namespace
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 156, "spec"},
    {3, Message, One, Always, 157, "status"},
    // v1.NamespaceSpec
    {1, String, List, IfSent, 0, "finalizers"},
    // v1.NamespaceStatus
    {1, String, One, IfNotZero, 0, "phase"},
    {2, Message, List, IfSent, 158, "conditions"},
    // v1.NamespaceCondition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {4, Time, One, Always, 0, "lastTransitionTime"},
    {5, String, One, IfNotZero, 0, "reason"},
    {6, String, One, IfNotZero, 0, "message"},
    // v1.Service
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 160, "spec"},
    {3, Message, One, Always, 164, "status"},
    // v1.ServiceSpec
    {1, Message, List, IfSent, 161, "ports"},
    {2, String, Map, IfSent, 0, "selector"},
    {3, String, One, IfNotZero, 0, "clusterIP"},
    {4, String, One, IfNotZero, 0, "type"},
    {5, String, List, IfSent, 0, "externalIPs"},
    {7, String, One, IfNotZero, 0, "sessionAffinity"},
    {8, String, One, IfNotZero, 0, "loadBalancerIP"},
    {9, String, List, IfSent, 0, "loadBalancerSourceRanges"},
    {10, String, One, IfNotZero, 0, "externalName"},
    {11, String, One, IfNotZero, 0, "externalTrafficPolicy"},
    {12, Integer, One, IfNotZero, 0, "healthCheckNodePort"},
    {13, Boolean, One, IfNotZero, 0, "publishNotReadyAddresses"},
    {14, Message, One, IfSent, 162, "sessionAffinityConfig"},
    {17, String, One, IfSent, 0, "ipFamilyPolicy"},
    {18, String, List, IfSent, 0, "clusterIPs"},
    {19, String, List, IfSent, 0, "ipFamilies"},
    {20, Boolean, One, IfSent, 0, "allocateLoadBalancerNodePorts"},
    {21, String, One, IfSent, 0, "loadBalancerClass"},
    {22, String, One, IfSent, 0, "internalTrafficPolicy"},
    {23, String, One, IfSent, 0, "trafficDistribution"},
    // v1.ServicePort
    {1, String, One, IfNotZero, 0, "name"},
    {2, String, One, IfNotZero, 0, "protocol"},
    {3, Integer, One, Always, 0, "port"},
    {4, IntOrString, One, Always, 0, "targetPort"},
    {5, Integer, One, IfNotZero, 0, "nodePort"},
    {6, String, One, IfSent, 0, "appProtocol"},
    // v1.SessionAffinityConfig
    {1, Message, One, IfSent, 163, "clientIP"},
    // v1.ClientIPConfig
    {1, Integer, One, IfSent, 0, "timeoutSeconds"},
    // v1.ServiceStatus
    {1, Message, One, Always, 165, "loadBalancer"},
    {2, Message, List, IfSent, 168, "conditions"},
    // v1.LoadBalancerStatus
    {1, Message, List, IfSent, 166, "ingress"},
    // v1.LoadBalancerIngress
    {1, String, One, IfNotZero, 0, "ip"},
    {2, String, One, IfNotZero, 0, "hostname"},
    {3, String, One, IfSent, 0, "ipMode"},
    {4, Message, List, IfSent, 167, "ports"},
    // v1.PortStatus
    {1, Integer, One, Always, 0, "port"},
    {2, String, One, Always, 0, "protocol"},
    {3, String, One, IfSent, 0, "error"},
    // v1.Condition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {3, Integer, One, IfNotZero, 0, "observedGeneration"},
    {4, Time, One, Always, 0, "lastTransitionTime"},
    {5, String, One, Always, 0, "reason"},
    {6, String, One, Always, 0, "message"},
    // v1.ReplicationController
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 170, "spec"},
    {3, Message, One, Always, 172, "status"},
    // v1.ReplicationControllerSpec
    {1, Integer, One, IfSent, 0, "replicas"},
    {2, String, Map, IfSent, 0, "selector"},
    {3, Message, One, IfSent, 171, "template"},
    {4, Integer, One, IfNotZero, 0, "minReadySeconds"},
    // v1.PodTemplateSpec
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 8, "spec"},
    // v1.ReplicationControllerStatus
    {1, Integer, One, Always, 0, "replicas"},
    {2, Integer, One, IfNotZero, 0, "fullyLabeledReplicas"},
    {3, Integer, One, IfNotZero, 0, "observedGeneration"},
    {4, Integer, One, IfNotZero, 0, "readyReplicas"},
    {5, Integer, One, IfNotZero, 0, "availableReplicas"},
    {6, Message, List, IfSent, 173, "conditions"},
    // v1.ReplicationControllerCondition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {3, Time, One, Always, 0, "lastTransitionTime"},
    {4, String, One, IfNotZero, 0, "reason"},
    {5, String, One, IfNotZero, 0, "message"},
    // v1.PersistentVolume
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 175, "spec"},
    {3, Message, One, Always, 191, "status"},
    // v1.PersistentVolumeSpec
    {1, Quantity, Map, IfSent, 0, "capacity"},
    {2, Message, Inline, Always, 176, ""},
    {3, String, List, IfSent, 0, "accessModes"},
    {4, Message, One, IfSent, 188, "claimRef"},
    {5, String, One, IfNotZero, 0, "persistentVolumeReclaimPolicy"},
    {6, String, One, IfNotZero, 0, "storageClassName"},
    {7, String, List, IfSent, 0, "mountOptions"},
    {8, String, One, IfSent, 0, "volumeMode"},
    {9, Message, One, IfSent, 190, "nodeAffinity"},
    {10, String, One, IfSent, 0, "volumeAttributesClassName"},
    // v1.PersistentVolumeSource
    {1, Message, One, IfSent, 13, "gcePersistentDisk"},
    {2, Message, One, IfSent, 14, "awsElasticBlockStore"},
    {3, Message, One, IfSent, 11, "hostPath"},
    {4, Message, One, IfSent, 177, "glusterfs"},
    {5, Message, One, IfSent, 18, "nfs"},
    {6, Message, One, IfSent, 178, "rbd"},
    {7, Message, One, IfSent, 180, "iscsi"},
    {8, Message, One, IfSent, 181, "cinder"},
    {9, Message, One, IfSent, 182, "cephfs"},
    {10, Message, One, IfSent, 32, "fc"},
    {11, Message, One, IfSent, 27, "flocker"},
    {12, Message, One, IfSent, 183, "flexVolume"},
    {13, Message, One, IfSent, 184, "azureFile"},
    {14, Message, One, IfSent, 35, "vsphereVolume"},
    {15, Message, One, IfSent, 36, "quobyte"},
    {16, Message, One, IfSent, 37, "azureDisk"},
    {17, Message, One, IfSent, 38, "photonPersistentDisk"},
    {18, Message, One, IfSent, 49, "portworxVolume"},
    {19, Message, One, IfSent, 185, "scaleIO"},
    {20, Message, One, IfSent, 186, "local"},
    {21, Message, One, IfSent, 187, "storageos"},
    {22, Message, One, IfSent, 189, "csi"},
    // v1.GlusterfsPersistentVolumeSource
    {1, String, One, Always, 0, "endpoints"},
    {2, String, One, Always, 0, "path"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    {4, String, One, IfSent, 0, "endpointsNamespace"},
    // v1.RBDPersistentVolumeSource
    {1, String, List, OrNull, 0, "monitors"},
    {2, String, One, Always, 0, "image"},
    {3, String, One, IfNotZero, 0, "fsType"},
    {4, String, One, IfNotZero, 0, "pool"},
    {5, String, One, IfNotZero, 0, "user"},
    {6, String, One, IfNotZero, 0, "keyring"},
    {7, Message, One, IfSent, 179, "secretRef"},
    {8, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.SecretReference
    {1, String, One, IfNotZero, 0, "name"},
    {2, String, One, IfNotZero, 0, "namespace"},
    // v1.ISCSIPersistentVolumeSource
    {1, String, One, Always, 0, "targetPortal"},
    {2, String, One, Always, 0, "iqn"},
    {3, Integer, One, Always, 0, "lun"},
    {4, String, One, IfNotZero, 0, "iscsiInterface"},
    {5, String, One, IfNotZero, 0, "fsType"},
    {6, Boolean, One, IfNotZero, 0, "readOnly"},
    {7, String, List, IfSent, 0, "portals"},
    {8, Boolean, One, IfNotZero, 0, "chapAuthDiscovery"},
    {10, Message, One, IfSent, 179, "secretRef"},
    {11, Boolean, One, IfNotZero, 0, "chapAuthSession"},
    {12, String, One, IfSent, 0, "initiatorName"},
    // v1.CinderPersistentVolumeSource
    {1, String, One, Always, 0, "volumeID"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    {4, Message, One, IfSent, 179, "secretRef"},
    // v1.CephFSPersistentVolumeSource
    {1, String, List, OrNull, 0, "monitors"},
    {2, String, One, IfNotZero, 0, "path"},
    {3, String, One, IfNotZero, 0, "user"},
    {4, String, One, IfNotZero, 0, "secretFile"},
    {5, Message, One, IfSent, 179, "secretRef"},
    {6, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.FlexPersistentVolumeSource
    {1, String, One, Always, 0, "driver"},
    {2, String, One, IfNotZero, 0, "fsType"},
    {3, Message, One, IfSent, 179, "secretRef"},
    {4, Boolean, One, IfNotZero, 0, "readOnly"},
    {5, String, Map, IfSent, 0, "options"},
    // v1.AzureFilePersistentVolumeSource
    {1, String, One, Always, 0, "secretName"},
    {2, String, One, Always, 0, "shareName"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    {4, String, One, OrNull, 0, "secretNamespace"},
    // v1.ScaleIOPersistentVolumeSource
    {1, String, One, Always, 0, "gateway"},
    {2, String, One, Always, 0, "system"},
    {3, Message, One, OrNull, 179, "secretRef"},
    {4, Boolean, One, IfNotZero, 0, "sslEnabled"},
    {5, String, One, IfNotZero, 0, "protectionDomain"},
    {6, String, One, IfNotZero, 0, "storagePool"},
    {7, String, One, IfNotZero, 0, "storageMode"},
    {8, String, One, IfNotZero, 0, "volumeName"},
    {9, String, One, IfNotZero, 0, "fsType"},
    {10, Boolean, One, IfNotZero, 0, "readOnly"},
    // v1.LocalVolumeSource
    {1, String, One, Always, 0, "path"},
    {2, String, One, IfSent, 0, "fsType"},
    // v1.StorageOSPersistentVolumeSource
    {1, String, One, IfNotZero, 0, "volumeName"},
    {2, String, One, IfNotZero, 0, "volumeNamespace"},
    {3, String, One, IfNotZero, 0, "fsType"},
    {4, Boolean, One, IfNotZero, 0, "readOnly"},
    {5, Message, One, IfSent, 188, "secretRef"},
    // v1.ObjectReference
    {1, String, One, IfNotZero, 0, "kind"},
    {2, String, One, IfNotZero, 0, "namespace"},
    {3, String, One, IfNotZero, 0, "name"},
    {4, String, One, IfNotZero, 0, "uid"},
    {5, String, One, IfNotZero, 0, "apiVersion"},
    {6, String, One, IfNotZero, 0, "resourceVersion"},
    {7, String, One, IfNotZero, 0, "fieldPath"},
    // v1.CSIPersistentVolumeSource
    {1, String, One, Always, 0, "driver"},
    {2, String, One, Always, 0, "volumeHandle"},
    {3, Boolean, One, IfNotZero, 0, "readOnly"},
    {4, String, One, IfNotZero, 0, "fsType"},
    {5, String, Map, IfSent, 0, "volumeAttributes"},
    {6, Message, One, IfSent, 179, "controllerPublishSecretRef"},
    {7, Message, One, IfSent, 179, "nodeStageSecretRef"},
    {8, Message, One, IfSent, 179, "nodePublishSecretRef"},
    {9, Message, One, IfSent, 179, "controllerExpandSecretRef"},
    {10, Message, One, IfSent, 179, "nodeExpandSecretRef"},
    // v1.VolumeNodeAffinity
    {1, Message, One, IfSent, 99, "required"},
    // v1.PersistentVolumeStatus
    {1, String, One, IfNotZero, 0, "phase"},
    {2, String, One, IfNotZero, 0, "message"},
    {3, String, One, IfNotZero, 0, "reason"},
    {4, Time, One, IfSent, 0, "lastPhaseTransitionTime"},
    // v1.PersistentVolumeClaim
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 55, "spec"},
    {3, Message, One, Always, 193, "status"},
    // v1.PersistentVolumeClaimStatus
    {1, String, One, IfNotZero, 0, "phase"},
    {2, String, List, IfSent, 0, "accessModes"},
    {3, Quantity, Map, IfSent, 0, "capacity"},
    {4, Message, List, IfSent, 194, "conditions"},
    {5, Quantity, Map, IfSent, 0, "allocatedResources"},
    {7, String, Map, IfSent, 0, "allocatedResourceStatuses"},
    {8, String, One, IfSent, 0, "currentVolumeAttributesClassName"},
    {9, Message, One, IfSent, 195, "modifyVolumeStatus"},
    // v1.PersistentVolumeClaimCondition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {3, Time, One, Always, 0, "lastProbeTime"},
    {4, Time, One, Always, 0, "lastTransitionTime"},
    {5, String, One, IfNotZero, 0, "reason"},
    {6, String, One, IfNotZero, 0, "message"},
    // v1.ModifyVolumeStatus
    {1, String, One, IfNotZero, 0, "targetVolumeAttributesClassName"},
    {2, String, One, Always, 0, "status"},
    // v1.ReplicaSet
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 197, "spec"},
    {3, Message, One, Always, 198, "status"},
    // v1.ReplicaSetSpec
    {1, Integer, One, IfSent, 0, "replicas"},
    {2, Message, One, OrNull, 46, "selector"},
    {3, Message, One, Always, 171, "template"},
    {4, Integer, One, IfNotZero, 0, "minReadySeconds"},
    // v1.ReplicaSetStatus
    {1, Integer, One, Always, 0, "replicas"},
    {2, Integer, One, IfNotZero, 0, "fullyLabeledReplicas"},
    {3, Integer, One, IfNotZero, 0, "observedGeneration"},
    {4, Integer, One, IfNotZero, 0, "readyReplicas"},
    {5, Integer, One, IfNotZero, 0, "availableReplicas"},
    {6, Message, List, IfSent, 199, "conditions"},
    {7, Integer, One, IfSent, 0, "terminatingReplicas"},
    // v1.ReplicaSetCondition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {3, Time, One, Always, 0, "lastTransitionTime"},
    {4, String, One, IfNotZero, 0, "reason"},
    {5, String, One, IfNotZero, 0, "message"},
    // v1.StatefulSet
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 201, "spec"},
    {3, Message, One, Always, 206, "status"},
    // v1.StatefulSetSpec
    {1, Integer, One, IfSent, 0, "replicas"},
    {2, Message, One, OrNull, 46, "selector"},
    {3, Message, One, Always, 171, "template"},
    {4, Message, List, IfSent, 192, "volumeClaimTemplates"},
    {5, String, One, Always, 0, "serviceName"},
    {6, String, One, IfNotZero, 0, "podManagementPolicy"},
    {7, Message, One, Always, 202, "updateStrategy"},
    {8, Integer, One, IfSent, 0, "revisionHistoryLimit"},
    {9, Integer, One, IfNotZero, 0, "minReadySeconds"},
    {10, Message, One, IfSent, 204, "persistentVolumeClaimRetentionPolicy"},
    {11, Message, One, IfSent, 205, "ordinals"},
    // v1.StatefulSetUpdateStrategy
    {1, String, One, IfNotZero, 0, "type"},
    {2, Message, One, IfSent, 203, "rollingUpdate"},
    // v1.RollingUpdateStatefulSetStrategy
    {1, Integer, One, IfSent, 0, "partition"},
    {2, IntOrString, One, IfSent, 0, "maxUnavailable"},
    // v1.StatefulSetPersistentVolumeClaimRetentionPolicy
    {1, String, One, IfNotZero, 0, "whenDeleted"},
    {2, String, One, IfNotZero, 0, "whenScaled"},
    // v1.StatefulSetOrdinals
    {1, Integer, One, Always, 0, "start"},
    // v1.StatefulSetStatus
    {1, Integer, One, IfNotZero, 0, "observedGeneration"},
    {2, Integer, One, Always, 0, "replicas"},
    {3, Integer, One, IfNotZero, 0, "readyReplicas"},
    {4, Integer, One, IfNotZero, 0, "currentReplicas"},
    {5, Integer, One, IfNotZero, 0, "updatedReplicas"},
    {6, String, One, IfNotZero, 0, "currentRevision"},
    {7, String, One, IfNotZero, 0, "updateRevision"},
    {9, Integer, One, IfSent, 0, "collisionCount"},
    {10, Message, List, IfSent, 207, "conditions"},
    {11, Integer, One, Always, 0, "availableReplicas"},
    // v1.StatefulSetCondition
    {1, String, One, Always, 0, "type"},
    {2, String, One, Always, 0, "status"},
    {3, Time, One, Always, 0, "lastTransitionTime"},
    {4, String, One, IfNotZero, 0, "reason"},
    {5, String, One, IfNotZero, 0, "message"},
    // v1.PodDisruptionBudget
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 209, "spec"},
    {3, Message, One, Always, 210, "status"},
    // v1.PodDisruptionBudgetSpec
    {1, IntOrString, One, IfSent, 0, "minAvailable"},
    {2, Message, One, IfSent, 46, "selector"},
    {3, IntOrString, One, IfSent, 0, "maxUnavailable"},
    {4, String, One, IfSent, 0, "unhealthyPodEvictionPolicy"},
    // v1.PodDisruptionBudgetStatus
    {1, Integer, One, IfNotZero, 0, "observedGeneration"},
    {2, Time, Map, IfSent, 0, "disruptedPods"},
    {3, Integer, One, Always, 0, "disruptionsAllowed"},
    {4, Integer, One, Always, 0, "currentHealthy"},
    {5, Integer, One, Always, 0, "desiredHealthy"},
    {6, Integer, One, Always, 0, "expectedPods"},
    {7, Message, List, IfSent, 168, "conditions"},
    // v1.PriorityClass
    {1, Message, One, Always, 6, "metadata"},
    {2, Integer, One, Always, 0, "value"},
    {3, Boolean, One, IfNotZero, 0, "globalDefault"},
    {4, String, One, IfNotZero, 0, "description"},
    {5, String, One, IfSent, 0, "preemptionPolicy"},
    // v1.StorageClass
    {1, Message, One, Always, 6, "metadata"},
    {2, String, One, Always, 0, "provisioner"},
    {3, String, Map, IfSent, 0, "parameters"},
    {4, String, One, IfSent, 0, "reclaimPolicy"},
    {5, String, List, IfSent, 0, "mountOptions"},
    {6, Boolean, One, IfSent, 0, "allowVolumeExpansion"},
    {7, String, One, IfSent, 0, "volumeBindingMode"},
    {8, Message, List, IfSent, 213, "allowedTopologies"},
    // v1.TopologySelectorTerm
    {1, Message, List, IfSent, 214, "matchLabelExpressions"},
    // v1.TopologySelectorLabelRequirement
    {1, String, One, Always, 0, "key"},
    {2, String, List, OrNull, 0, "values"},
    // v1.CSINode
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 216, "spec"},
    // v1.CSINodeSpec
    {1, Message, List, OrNull, 217, "drivers"},
    // v1.CSINodeDriver
    {1, String, One, Always, 0, "name"},
    {2, String, One, Always, 0, "nodeID"},
    {3, String, List, OrNull, 0, "topologyKeys"},
    {4, Message, One, IfSent, 218, "allocatable"},
    // v1.VolumeNodeResources
    {1, Integer, One, IfSent, 0, "count"},
    // v1.CSIDriver
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 220, "spec"},
    // v1.CSIDriverSpec
    {1, Boolean, One, IfSent, 0, "attachRequired"},
    {2, Boolean, One, IfSent, 0, "podInfoOnMount"},
    {3, String, List, IfSent, 0, "volumeLifecycleModes"},
    {4, Boolean, One, IfSent, 0, "storageCapacity"},
    {5, String, One, IfSent, 0, "fsGroupPolicy"},
    {6, Message, List, IfSent, 221, "tokenRequests"},
    {7, Boolean, One, IfSent, 0, "requiresRepublish"},
    {8, Boolean, One, IfSent, 0, "seLinuxMount"},
    {9, Integer, One, IfSent, 0, "nodeAllocatableUpdatePeriodSeconds"},
    {10, Boolean, One, IfSent, 0, "serviceAccountTokenInSecrets"},
    {11, Boolean, One, IfSent, 0, "preventPodSchedulingIfMissing"},
    // v1.TokenRequest
    {1, String, One, Always, 0, "audience"},
    {2, Integer, One, IfSent, 0, "expirationSeconds"},
    // v1.CSIStorageCapacity
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, IfSent, 46, "nodeTopology"},
    {3, String, One, Always, 0, "storageClassName"},
    {4, Quantity, One, IfSent, 0, "capacity"},
    {5, Quantity, One, IfSent, 0, "maximumVolumeSize"},
    // v1.VolumeAttachment
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 224, "spec"},
    {3, Message, One, Always, 226, "status"},
    // v1.VolumeAttachmentSpec
    {1, String, One, Always, 0, "attacher"},
    {2, Message, One, Always, 225, "source"},
    {3, String, One, Always, 0, "nodeName"},
    // v1.VolumeAttachmentSource
    {1, String, One, IfSent, 0, "persistentVolumeName"},
    {2, Message, One, IfSent, 175, "inlineVolumeSpec"},
    // v1.VolumeAttachmentStatus
    {1, Boolean, One, Always, 0, "attached"},
    {2, String, Map, IfSent, 0, "attachmentMetadata"},
    {3, Message, One, IfSent, 227, "attachError"},
    {4, Message, One, IfSent, 227, "detachError"},
    // v1.VolumeError
    {1, Time, One, Always, 0, "time"},
    {2, String, One, IfNotZero, 0, "message"},
    {3, Integer, One, IfSent, 0, "errorCode"},
    // v1.ResourceClaim
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 229, "spec"},
    {3, Message, One, Always, 242, "status"},
    // v1.ResourceClaimSpec
    {1, Message, One, Always, 230, "devices"},
    // v1.DeviceClaim
    {1, Message, List, OrNull, 231, "requests"},
    {2, Message, List, IfSent, 238, "constraints"},
    {3, Message, List, IfSent, 239, "config"},
    // v1.DeviceRequest
    {1, String, One, Always, 0, "name"},
    {2, Message, One, IfSent, 232, "exactly"},
    {3, Message, List, IfSent, 237, "firstAvailable"},
    // v1.ExactDeviceRequest
    {1, String, One, Always, 0, "deviceClassName"},
    {2, Message, List, IfSent, 233, "selectors"},
    {3, String, One, IfNotZero, 0, "allocationMode"},
    {4, Integer, One, IfNotZero, 0, "count"},
    {5, Boolean, One, IfSent, 0, "adminAccess"},
    {6, Message, List, IfSent, 235, "tolerations"},
    {7, Message, One, IfSent, 236, "capacity"},
    // v1.DeviceSelector
    {1, Message, One, IfSent, 234, "cel"},
    // v1.CELDeviceSelector
    {1, String, One, Always, 0, "expression"},
    // v1.DeviceToleration
    {1, String, One, IfNotZero, 0, "key"},
    {2, String, One, IfNotZero, 0, "operator"},
    {3, String, One, IfNotZero, 0, "value"},
    {4, String, One, IfNotZero, 0, "effect"},
    {5, Integer, One, IfSent, 0, "tolerationSeconds"},
    // v1.CapacityRequirements
    {1, Quantity, Map, IfSent, 0, "requests"},
    // v1.DeviceSubRequest
    {1, String, One, Always, 0, "name"},
    {2, String, One, Always, 0, "deviceClassName"},
    {3, Message, List, IfSent, 233, "selectors"},
    {4, String, One, IfNotZero, 0, "allocationMode"},
    {5, Integer, One, IfNotZero, 0, "count"},
    {6, Message, List, IfSent, 235, "tolerations"},
    {7, Message, One, IfSent, 236, "capacity"},
    // v1.DeviceConstraint
    {1, String, List, IfSent, 0, "requests"},
    {2, String, One, IfSent, 0, "matchAttribute"},
    {3, String, One, IfSent, 0, "distinctAttribute"},
    // v1.DeviceClaimConfiguration
    {1, String, List, IfSent, 0, "requests"},
    {2, Message, Inline, Always, 240, ""},
    // v1.DeviceConfiguration
    {1, Message, One, IfSent, 241, "opaque"},
    // v1.OpaqueDeviceConfiguration
    {1, String, One, Always, 0, "driver"},
    {2, Json, One, Always, 0, "parameters"},
    // v1.ResourceClaimStatus
    {1, Message, One, IfSent, 243, "allocation"},
    {2, Message, List, IfSent, 247, "reservedFor"},
    {4, Message, List, IfSent, 248, "devices"},
    // v1.AllocationResult
    {1, Message, One, Always, 244, "devices"},
    {3, Message, One, IfSent, 99, "nodeSelector"},
    {5, Time, One, IfSent, 0, "allocationTimestamp"},
    // v1.DeviceAllocationResult
    {1, Message, List, IfSent, 245, "results"},
    {2, Message, List, IfSent, 246, "config"},
    // v1.DeviceRequestAllocationResult
    {1, String, One, Always, 0, "request"},
    {2, String, One, Always, 0, "driver"},
    {3, String, One, Always, 0, "pool"},
    {4, String, One, Always, 0, "device"},
    {5, Boolean, One, IfSent, 0, "adminAccess"},
    {6, Message, List, IfSent, 235, "tolerations"},
    {7, String, List, IfSent, 0, "bindingConditions"},
    {8, String, List, IfSent, 0, "bindingFailureConditions"},
    {9, String, One, IfSent, 0, "shareID"},
    {10, Quantity, Map, IfSent, 0, "consumedCapacity"},
    // v1.DeviceAllocationConfiguration
    {1, String, One, Always, 0, "source"},
    {2, String, List, IfSent, 0, "requests"},
    {3, Message, Inline, Always, 240, ""},
    // v1.ResourceClaimConsumerReference
    {1, String, One, IfNotZero, 0, "apiGroup"},
    {3, String, One, Always, 0, "resource"},
    {4, String, One, Always, 0, "name"},
    {5, String, One, Always, 0, "uid"},
    // v1.AllocatedDeviceStatus
    {1, String, One, Always, 0, "driver"},
    {2, String, One, Always, 0, "pool"},
    {3, String, One, Always, 0, "device"},
    {4, Message, List, OrNull, 168, "conditions"},
    {5, Json, One, IfSent, 0, "data"},
    {6, Message, One, IfSent, 249, "networkData"},
    {7, String, One, IfSent, 0, "shareID"},
    // v1.NetworkDeviceData
    {1, String, One, IfNotZero, 0, "interfaceName"},
    {2, String, List, IfSent, 0, "ips"},
    {3, String, One, IfNotZero, 0, "hardwareAddress"},
    // v1.ResourceSlice
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 251, "spec"},
    // v1.ResourceSliceSpec
    {1, String, One, Always, 0, "driver"},
    {2, Message, One, Always, 252, "pool"},
    {3, String, One, IfSent, 0, "nodeName"},
    {4, Message, One, IfSent, 99, "nodeSelector"},
    {5, Boolean, One, IfSent, 0, "allNodes"},
    {6, Message, List, IfSent, 253, "devices"},
    {7, Boolean, One, IfSent, 0, "perDeviceNodeSelection"},
    {8, Message, List, IfSent, 262, "sharedCounters"},
    // v1.ResourcePool
    {1, String, One, Always, 0, "name"},
    {2, Integer, One, Always, 0, "generation"},
    {3, Integer, One, Always, 0, "resourceSliceCount"},
    // v1.Device
    {1, String, One, Always, 0, "name"},
    {2, Message, Map, IfSent, 254, "attributes"},
    {3, Message, Map, IfSent, 255, "capacity"},
    {4, Message, List, IfSent, 258, "consumesCounters"},
    {5, String, One, IfSent, 0, "nodeName"},
    {6, Message, One, IfSent, 99, "nodeSelector"},
    {7, Boolean, One, IfSent, 0, "allNodes"},
    {8, Message, List, IfSent, 260, "taints"},
    {9, Boolean, One, IfSent, 0, "bindsToNode"},
    {10, String, List, IfSent, 0, "bindingConditions"},
    {11, String, List, IfSent, 0, "bindingFailureConditions"},
    {12, Boolean, One, IfSent, 0, "allowMultipleAllocations"},
    {13, Message, Map, IfSent, 261, "nodeAllocatableResourceMappings"},
    // v1.DeviceAttribute
    {2, Integer, One, IfSent, 0, "int"},
    {3, Boolean, One, IfSent, 0, "bool"},
    {4, String, One, IfSent, 0, "string"},
    {5, String, One, IfSent, 0, "version"},
    {6, Integer, List, IfSent, 0, "ints"},
    {7, Boolean, List, IfSent, 0, "bools"},
    {8, String, List, IfSent, 0, "strings"},
    {9, String, List, IfSent, 0, "versions"},
    // v1.DeviceCapacity
    {1, Quantity, One, Always, 0, "value"},
    {2, Message, One, IfSent, 256, "requestPolicy"},
    // v1.CapacityRequestPolicy
    {1, Quantity, One, OrNull, 0, "default"},
    {3, Quantity, List, IfSent, 0, "validValues"},
    {4, Message, One, IfSent, 257, "validRange"},
    // v1.CapacityRequestPolicyRange
    {1, Quantity, One, IfSent, 0, "min"},
    {2, Quantity, One, IfSent, 0, "max"},
    {3, Quantity, One, IfSent, 0, "step"},
    // v1.DeviceCounterConsumption
    {1, String, One, Always, 0, "counterSet"},
    {2, Message, Map, IfSent, 259, "counters"},
    // v1.Counter
    {1, Quantity, One, Always, 0, "value"},
    // v1.DeviceTaint
    {1, String, One, Always, 0, "key"},
    {2, String, One, IfNotZero, 0, "value"},
    {3, String, One, Always, 0, "effect"},
    {4, Time, One, IfSent, 0, "timeAdded"},
    // v1.NodeAllocatableResourceMapping
    {1, String, One, IfSent, 0, "capacityKey"},
    {2, Quantity, One, IfSent, 0, "allocationMultiplier"},
    // v1.CounterSet
    {1, String, One, Always, 0, "name"},
    {2, Message, Map, IfSent, 259, "counters"},
    // v1.DeviceClass
    {1, Message, One, Always, 6, "metadata"},
    {2, Message, One, Always, 264, "spec"},
    // v1.DeviceClassSpec
    {1, Message, List, IfSent, 233, "selectors"},
    {2, Message, List, IfSent, 265, "config"},
    {4, String, One, IfSent, 0, "extendedResourceName"},
    // v1.DeviceClassConfiguration
    {1, Message, Inline, Always, 240, ""},
};

constexpr std::uint16_t ends[] = {
    5,    6,    12,   18,   21,   24,   39,   45,   87,   89,   119,  121,  123,  127,  131,  134,  138,  141,  144,
    155,  156,  159,  161,  169,  174,  178,  184,  186,  188,  192,  194,  197,  202,  205,  209,  213,  219,  225,
    227,  229,  235,  238,  239,  242,  245,  250,  252,  255,  262,  265,  275,  280,  285,  286,  288,  297,  299,
    302,  306,  308,  333,  338,  341,  343,  345,  348,  353,  356,  359,  363,  366,  368,  370,  372,  374,  381,
    383,  390,  394,  395,  400,  402,  404,  406,  409,  413,  414,  426,  428,  432,  436,  438,  440,  442,  467,
    480,  482,  485,  487,  488,  490,  493,  495,  497,  503,  505,  507,  512,  514,  517,  519,  520,  528,  529,
    530,  533,  534,  555,  562,  563,  564,  579,  582,  584,  585,  592,  597,  598,  599,  600,  603,  605,  608,
    610,  612,  615,  618,  621,  628,  632,  633,  638,  652,  658,  660,  661,  662,  673,  674,  676,  678,  682,
    684,  686,  687,  690,  691,  693,  698,  701,  721,  727,  728,  729,  731,  732,  736,  739,  745,  748,  752,
    754,  760,  765,  768,  778,  800,  804,  812,  814,  825,  829,  835,  840,  844,  854,  856,  861,  868,  878,
    879,  883,  886,  894,  900,  902,  905,  909,  916,  921,  924,  935,  937,  939,  941,  942,  952,  957,  960,
    964,  971,  976,  984,  985,  987,  989,  990,  994,  995,  997,  1008, 1010, 1015, 1018, 1021, 1023, 1027, 1030,
    1033, 1034, 1037, 1040, 1047, 1048, 1049, 1054, 1055, 1062, 1065, 1067, 1068, 1070, 1073, 1076, 1078, 1088, 1091,
    1095, 1102, 1105, 1107, 1115, 1118, 1131, 1139, 1141, 1144, 1147, 1149, 1150, 1154, 1156, 1158, 1160, 1163, 1164,
};

constexpr Kind kinds[] = {
    {"v1", "ListMeta", 0},
    {"v1", "Status", 2},
    {"v1", "Pod", 5},
    {"v1", "Node", 137},
    {"v1", "Namespace", 155},
    {"v1", "Service", 159},
    {"v1", "ReplicationController", 169},
    {"v1", "PersistentVolume", 174},
    {"v1", "PersistentVolumeClaim", 192},
    {"apps/v1", "ReplicaSet", 196},
    {"apps/v1", "StatefulSet", 200},
    {"policy/v1", "PodDisruptionBudget", 208},
    {"scheduling.k8s.io/v1", "PriorityClass", 211},
    {"storage.k8s.io/v1", "StorageClass", 212},
    {"storage.k8s.io/v1", "CSINode", 215},
    {"storage.k8s.io/v1", "CSIDriver", 219},
    {"storage.k8s.io/v1", "CSIStorageCapacity", 222},
    {"storage.k8s.io/v1", "VolumeAttachment", 223},
    {"resource.k8s.io/v1", "ResourceClaim", 228},
    {"resource.k8s.io/v1", "ResourceSlice", 250},
    {"resource.k8s.io/v1", "DeviceClass", 263},
};

}  // namespace

std::span<const Field> fields_of(std::uint16_t message) {
    const std::uint16_t begin = message == 0 ? 0 : ends[message - 1];
    return {fields + begin, fields + ends[message]};
}

const Kind *find_kind(std::string_view api_version, std::string_view kind) {
    for (const auto &one : kinds)
        if (one.name == kind && one.api_version == api_version) return &one;
    return nullptr;
}

}  // namespace berth::decode::protobuf
